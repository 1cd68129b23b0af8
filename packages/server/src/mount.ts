/** Mounts an endpoint of a contract: identify the caller, read and validate the input, hand both to the handler. */
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@triptych/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identify } from "./create-server.ts";
import type { Faults } from "./faults.ts";
import { compileInput } from "./input.ts";
import type { KnownPaths } from "./known-paths.ts";

/** What a handler is told. */
export interface Exchange<E extends Endpoint, Caller> {
  /** Who calls; null where the endpoint looks at no credential. */
  readonly caller: E["auth"] extends string ? Caller : null;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers with what it returns: an object is sent as JSON, bytes and streams as they are. */
export type Answering<E extends Endpoint, Caller> = (exchange: Exchange<E, Caller>) => unknown;

/**
 * A handler whose input the schema alone cannot judge adds its own faults to those of the schema. It must call
 * `faults.refuse()` before it does anything else.
 */
export interface CarefulHandler<E extends Endpoint, Caller> {
  readonly careful: (exchange: Exchange<E, Caller>, faults: Faults) => unknown;
}

export type Handler<E extends Endpoint, Caller> = Answering<E, Caller> | CarefulHandler<E, Caller>;

export interface Mounting<E extends Endpoint, Caller> {
  readonly app: FastifyInstance;
  readonly known: KnownPaths;
  readonly endpoint: E;
  readonly handler: Handler<E, Caller>;
  readonly identify: Identify<Caller>;
}

export function mountEndpoint<E extends Endpoint, Caller>({
  app,
  known,
  endpoint,
  handler,
  identify,
}: Mounting<E, Caller>): void {
  const read = compileInput(endpoint);
  const listed = listedValues(endpoint);
  const callers = new WeakMap<FastifyRequest, Caller>();
  known.add(endpoint.method, endpoint.path, listed);

  app.route({
    method: endpoint.method,
    url: routePath(endpoint.path, listed),
    async onRequest(request, reply) {
      if (endpoint.auth !== null) callers.set(request, await identify(request, reply, endpoint));
    },
    async handler(request, reply) {
      const { faults, ...input } = read(request);
      // The schemas have just checked these values; TypeScript cannot follow through the compiled validator.
      const exchange = { ...input, caller: callers.get(request) ?? null, request, reply } as Exchange<E, Caller>;
      if ("careful" in handler) return handler.careful(exchange, faults);
      faults.refuse();
      return handler(exchange);
    },
  });
}

/** Path parameters with an `enum` are part of the path: the router knows their values. */
function listedValues(endpoint: Endpoint): Map<string, readonly string[]> {
  const properties: Record<string, unknown> = endpoint.params?.properties ?? {};
  const listed = new Map<string, readonly string[]>();
  for (const [name, schema] of Object.entries(properties)) {
    if (typeof schema === "object" && schema !== null && "enum" in schema && Array.isArray(schema.enum))
      listed.set(name, schema.enum.map(String));
  }
  return listed;
}

function routePath(path: string, listed: ReadonlyMap<string, readonly string[]>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const values = listed.get(name);
    return values ? `:${name}(^(?:${values.join("|")})$)` : `:${name}`;
  });
}
