/** What a server of ours is asked for, and what it offers. */
import type { IncomingMessage } from "node:http";
import type { Endpoint, ServiceContract } from "@triptych/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Translate } from "./answer-errors.ts";
import type { ConnectionLimits } from "./connections.ts";
import type { HostOptions } from "./host-check.ts";
import type { Metrics } from "./metrics.ts";
import type { ExtraMembers } from "./problem.ts";
import type { Handler } from "./handler.ts";
import type { Home } from "./pages/home-page.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whom `identify` found; null before it has, and where the endpoint looks at no credential. */
    caller: unknown;
    /**
     * What `identify` has asked and not waited for; null: nothing. Whoever answers the request waits for it first, because what it throws
     * comes before every other refusal. It must be handled where it is made: a request may end before anybody waits.
     */
    unsettled: Promise<void> | null;
    /** The JSON of the body as it came; null where there is none. Who passes it on need not write it again. */
    bodyBytes: Buffer | null;
  }

  interface FastifyContextConfig {
    /** Of the handler: hears of a body before it is read. */
    early?: ((request: FastifyRequest) => Promise<void> | undefined) | undefined;
    /** The path as logs and metrics name it, `/api/item/:type/:slug`: without what the router knows of its parameters. */
    template?: string;
    /** Its body may take as long as an upload may. */
    isUpload?: boolean;
  }
}

/** Who calls, by the name of the credential scheme: throws a Problem (401, 429) or says who it is. */
export type Identify<Caller> = (
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
) => Promise<Caller> | Caller;

export interface ServerOptions<Caller> {
  readonly contract: ServiceContract;
  readonly logger: Logger;
  readonly identify: Identify<Caller>;
  /** Null when the service can serve, else a sentence that says what is missing. `deep` (`/readyz?deep=1`): looks closely, if it can. */
  readonly readiness: (asked: { readonly deep: boolean }) => Promise<string | null> | string | null;
  /** Members beside `status` while the service is ready. */
  readonly readinessDetails?: () => Readonly<Record<string, string>>;
  /** The address under which others reach the service; the listening address when absent. */
  readonly publicUrl?: string | undefined;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Any origin may read the answers, without credentials mode; these headers are readable too. */
  readonly cors?: { readonly exposedHeaders: readonly string[] };
  /** Replaces the generated `/docs` page. */
  readonly docsPage?: (server: Pick<Server<Caller>, "contract" | "url">) => string;
  /** What stands at `/`; absent where the service has a page of its own there. */
  readonly home?: Home;
  readonly ofProcess?: boolean;
  /** Turns what the service's own parts throw (a store that is full, say) into problems. What is no fault of the caller is logged all the same. */
  readonly translate?: Translate;
  /** Answers GET and HEAD of an address that nobody knows, where it has an answer; null: it is 404. */
  readonly elsewhere?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  /** Members that stand in every problem of the service, beside those of the problem itself. */
  readonly problemMembers?: ExtraMembers;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed; without them the socket's address is the caller's. */
  readonly trustedProxies?: readonly string[];
  /** Which requests are for a listener of `upgrade`; absent: none. All others are answered in HTTP, whatever else they offer to speak. */
  readonly upgrades?: (request: IncomingMessage) => boolean;
  /** How long a request may take to arrive, body included; 30 s. */
  readonly requestTimeoutMs?: number;
  /** The same for endpoints whose body is a stream; as for all others when absent. */
  readonly uploadTimeoutMs?: number;
  /** Bounds of open connections; 2,000, and 500 for one address. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Hosts that are served; absent: all. For a service that answers on loopback without a credential. */
  readonly hosts?: HostOptions | undefined;
  /** Called before the body of an endpoint without a credential is read. Throws a Problem (429, 403) to refuse the request. */
  readonly admitAnonymous?: (request: FastifyRequest, endpoint: Endpoint) => void;
  /** Replaces the text of `/metrics`, where the service has more threads than this one. */
  readonly metricsText?: () => Promise<string>;
}

export interface Server<Caller> {
  readonly fastify: FastifyInstance;
  readonly metrics: Metrics;
  readonly contract: ServiceContract;
  /** The public address, without a slash at its end. Before `listen` it is a placeholder. */
  url(): string;
  mount<const E extends Endpoint>(endpoint: E, handler: Handler<E, Caller>): void;
  /** A document outside the contract: pages, style sheets, redirects. GET and HEAD. */
  mountDocument(path: string, answer: (request: FastifyRequest, reply: FastifyReply) => unknown): void;
  listen(options: { readonly host: string; readonly port: number; readonly reusePort?: boolean }): Promise<string>;
  /** Stops accepting, waits for what is in flight (10 s at most), and may be called any number of times. */
  stop(): Promise<void>;
}
