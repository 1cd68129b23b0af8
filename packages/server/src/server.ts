/** Options and interface of a server. */
import type { IncomingMessage } from "node:http";
import type { Endpoint, ServiceContract } from "@triptych/contracts";
import type { Tracing } from "@triptych/tracing";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { LocalizeProblem, MapError } from "./error-handler.ts";
import type { ConnectionLimits } from "./connections.ts";
import type { HostOptions } from "./host-check.ts";
import type { Metrics } from "./metrics.ts";
import type { Problem, ProblemExtensions } from "./problem.ts";
import type { Handler } from "./handler.ts";
import type { FrenchPages, Home } from "./pages/home-page.ts";
import type { PageLanguage } from "./pages/page-language.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Result of `identify`. Null before that, and for endpoints without authentication. */
    caller: unknown;
    /** The JSON body as received; null without a body. A proxy forwards it without serializing again. */
    bodyBytes: Buffer | null;
  }

  interface FastifyContextConfig {
    /** Path template for logs and metrics: `/api/item/:type/:slug`. */
    template?: string;
    /** Whether the upload timeout applies to the body. */
    isUpload?: boolean;
  }
}

export type Authenticate<Caller> = (
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
) => Promise<Caller>;

export interface ServerOptions<Caller> {
  readonly contract: ServiceContract;
  readonly logger: Logger;
  readonly identify: Authenticate<Caller>;
  /**
   * Null if the service is ready, otherwise the reason in one sentence. `deep` (`/readyz?deep=1`) requests a thorough
   * check, if available.
   */
  readonly readiness: (options: { readonly deep: boolean }) => Promise<string | null>;
  readonly readinessDetails?: () => Readonly<Record<string, string>>;
  /** Public URL of the service; the listening address if absent. */
  readonly publicUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Allows any origin to read responses and these headers, without cookies. */
  readonly cors?: { readonly exposedHeaders: readonly string[] };
  readonly docsPage?: (server: Pick<Server<Caller>, "contract" | "url">, language: PageLanguage) => string;
  /** Folder of the built page `/docs/try`; null or absent if there is none. */
  readonly viewerFolder?: Promise<string | null> | undefined;
  /** French texts. With them, pages exist in both languages and show a language switch. */
  readonly french?: FrenchPages;
  readonly home?: Home;
  readonly ofProcess?: boolean;
  /**
   * Maps errors of the service, such as a full store, to problems. Errors that the caller did not cause are still
   * logged.
   */
  readonly translate?: MapError;
  /** Translates problems into the language of the request; English if absent. */
  readonly localizeProblem?: LocalizeProblem;
  /** Handles GET and HEAD of unknown paths; null means 404. */
  readonly elsewhere?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  readonly problemMembers?: ProblemExtensions;
  /** Called with each problem that is sent, for metrics. */
  readonly onProblem?: (problem: Problem) => void;
  /**
   * Addresses and networks of proxies whose X-Forwarded-For is trusted. Otherwise, the socket address is the client's.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Selects requests for an `upgrade` listener; none if absent. All others are handled as HTTP, whatever protocol they
   * offer.
   */
  readonly upgrades?: (request: IncomingMessage) => boolean;
  readonly tracing?: Tracing | null | undefined;
  readonly requestTimeoutMs?: number;
  /** Timeout for endpoints with a streamed body; defaults to the request timeout. */
  readonly uploadTimeoutMs?: number;
  /** Limits of open connections. Default: 2,000 in total and 500 per address. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Allowed hosts; all if absent. For a service on loopback without credentials. */
  readonly hosts?: HostOptions | undefined;
  /**
   * Called before the body of an unauthenticated endpoint is read. Throws a Problem (429, 403) to reject the request.
   */
  readonly admitAnonymous?: (request: FastifyRequest, endpoint: Endpoint) => void;
  /** Replaces the text of `/metrics`, for services with several threads. */
  readonly metricsText?: () => Promise<string>;
}

export interface Server<Caller> {
  readonly fastify: FastifyInstance;
  readonly metrics: Metrics;
  readonly contract: ServiceContract;
  /** The public URL without a trailing slash. Before `listen` it is a placeholder. */
  url(): string;
  mount<const E extends Endpoint>(endpoint: E, handler: Handler<E, Caller>): void;
  /** Serves a document that is not in the contract, for GET and HEAD: pages, style sheets, redirects. */
  mountDocument(path: string, answer: (request: FastifyRequest, reply: FastifyReply) => unknown): void;
  listen(options: { readonly host: string; readonly port: number; readonly reusePort?: boolean }): Promise<string>;
  /** Waits up to 10 s for requests in progress. Can be called repeatedly. */
  stop(): Promise<void>;
}
