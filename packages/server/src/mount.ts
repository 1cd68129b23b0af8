/** Mounts an endpoint of a contract: identifies the caller, validates the input and calls the handler. */
import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint } from "@triptych/contracts";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { ValidationErrors } from "./validation-errors.ts";
import type { RequestContext, Handler } from "./handler.ts";
import { compileInput } from "./input.ts";
import { passBodiesThrough, parseRawBodies } from "./json-bodies.ts";
import type { RouteTable } from "./unknown-routes.ts";
import { Problem } from "./problem.ts";
import type { Authenticate, ServerOptions } from "./server.ts";

export interface RouteOptions<E extends Endpoint, Caller> {
  readonly app: FastifyInstance;
  readonly routeTable: RouteTable;
  readonly endpoint: E;
  readonly handler: Handler<E, Caller>;
  readonly identify: Authenticate<Caller>;
  readonly admitAnonymous: ServerOptions<Caller>["admitAnonymous"];
}

export function registerRoute<E extends Endpoint, Caller>({
  app,
  routeTable,
  endpoint,
  handler,
  identify,
  admitAnonymous,
}: RouteOptions<E, Caller>): void {
  const read = compileInput(endpoint);
  const listed = listedValues(endpoint);
  const answer =
    "handle" in handler
      ? handler.handle
      : (context: RequestContext<E, Caller>, errors: ValidationErrors) => {
          errors.refuse();
          return handler(context);
        };
  routeTable.add(endpoint.method, endpoint.path, listed);

  const route = (scope: FastifyInstance) =>
    scope.route({
      method: endpoint.method,
      url: routePath(endpoint.path, listed),
      ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
      ...(endpoint.auth !== null && { onRequest: identifying(identify, endpoint) }),
      ...(endpoint.auth === null && admitAnonymous !== undefined && { onRequest: admitting(admitAnonymous, endpoint) }),
      config: {
        template: routePath(endpoint.path, new Map()),
        isUpload: endpoint.streamBody === true,
      },
      async handler(request, reply) {
        if (holdsNul(request.params)) throw new Problem("not_found");
        const { errors, ...input } = read(request);
        const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(request.headers, errors) : null;
        // The validator has just checked these values; TypeScript cannot infer that.
        const context = {
          ...input,
          idempotencyKey,
          caller: request.caller,
          request,
          reply,
        } as RequestContext<E, Caller>;
        const answered = await answer(context, errors);
        return answered === undefined && !reply.sent ? reply.send() : answered;
      },
    });
  if (endpoint.rawBody) void app.register(async (scope) => void route(parseRawBodies(scope)));
  else if (endpoint.streamBody) void app.register(async (scope) => void route(passBodiesThrough(scope)));
  else route(app);
}

function identifying<Caller>(identify: Authenticate<Caller>, endpoint: Endpoint): onRequestAsyncHookHandler {
  return async (request, reply) => {
    request.caller = await identify(request, reply, endpoint);
  };
}

function admitting(
  admit: (request: FastifyRequest, endpoint: Endpoint) => void,
  endpoint: Endpoint,
): onRequestAsyncHookHandler {
  return async (request) => admit(request, endpoint);
}

/** Such a parameter is 404: no stored name contains U+0000, and PostgreSQL would reject the query. */
function holdsNul(params: unknown): boolean {
  return (
    typeof params === "object" && params !== null && Object.values(params).some((param) => String(param).includes("\0"))
  );
}

/** Path parameters with an `enum` are part of the path: the router matches their values. */
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

/** Format of an `Idempotency-Key`. */
const VISIBLE = /^[\x21-\x7e]{1,255}$/;

function readIdempotencyKey(headers: IncomingHttpHeaders, errors: ValidationErrors): string | null {
  const value = headers["idempotency-key"];
  if (value === undefined) return null;
  if (typeof value === "string" && VISIBLE.test(value)) return value;
  errors.add({
    path: "header:Idempotency-Key",
    reason: "wrong_form",
    message: "`Idempotency-Key` must be 1 to 255 visible ASCII characters without spaces.",
  });
  return null;
}
