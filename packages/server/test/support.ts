/** A small service with every kind of endpoint. */
import { defineEndpoint, type ServiceContract } from "@triptych/contracts";
import { Type } from "typebox";
import { createLogger, createServer, Problem, readCredentials, type Server, type ServerOptions } from "../src/index.ts";

export const getThing = defineEndpoint({
  id: "getThing",
  method: "GET",
  path: "/v1/{kind}/{name}",
  summary: "A thing",
  auth: "key",
  params: Type.Object({ kind: Type.Enum(["big", "small"]), name: Type.String() }),
  query: Type.Object({
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    page: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Literal("all")])),
    color: Type.Optional(Type.Array(Type.Enum(["red", "green", "blue"]), { maxItems: 3 })),
    group: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { "x-repeat": "and" })),
    exact: Type.Optional(Type.Boolean()),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    key: Type.Optional(Type.String()),
  }),
  answers: { 200: { description: "the thing", schema: Type.Object({ name: Type.String() }) } },
  problems: ["key_required", "validation_failed"],
});

export const postThing = defineEndpoint({
  id: "postThing",
  method: "POST",
  path: "/v1/things",
  summary: "Creates a thing",
  auth: null,
  body: Type.Object({ name: Type.String({ minLength: 1 }), size: Type.Integer() }, { additionalProperties: false }),
  answers: { 200: { description: "made", schema: Type.Object({ name: Type.String() }) } },
  problems: ["invalid_json", "validation_failed"],
});

export const postNote = defineEndpoint({
  id: "postNote",
  method: "POST",
  path: "/v1/notes",
  summary: "Creates a note once",
  auth: null,
  idempotent: true,
  bodyLimit: 300_000,
  body: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  answers: { 201: { description: "made", schema: Type.Object({ key: Type.Union([Type.String(), Type.Null()]) }) } },
  problems: ["invalid_json", "validation_failed"],
});

export const postEvent = defineEndpoint({
  id: "postEvent",
  method: "POST",
  path: "/v1/events",
  summary: "Receives signed bytes",
  auth: null,
  rawBody: true,
  answers: { 200: { description: "heard", schema: Type.Object({ hex: Type.String() }) } },
  problems: [],
});

export const turnThing = defineEndpoint({
  id: "turnThing",
  method: "POST",
  path: "/v1/turn",
  summary: "Turns a thing by the given amount",
  auth: null,
  body: Type.Object({ by: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  answers: { 200: { description: "turned", schema: Type.Object({ by: Type.Integer() }) } },
  problems: ["invalid_json", "validation_failed"],
});

export const uploadThing = defineEndpoint({
  id: "uploadThing",
  method: "PUT",
  path: "/v1/upload",
  summary: "Receives a stream",
  auth: null,
  streamBody: true,
  answers: { 200: { description: "its length", schema: Type.Object({ bytes: Type.Integer() }) } },
  problems: [],
});

export const findThing = defineEndpoint({
  id: "findThing",
  method: "GET",
  path: "/v1/found",
  summary: "Finds the thing of an owner",
  auth: null,
  query: Type.Object({ owner: Type.String(), since: Type.Optional(Type.String({ format: "date-time" })) }),
  answers: { 200: { description: "the thing", schema: Type.Object({ owner: Type.String() }) } },
  problems: ["validation_failed"],
});

export const contract: ServiceContract = {
  name: "thing",
  title: "Things",
  description: "A service for tests.",
  version: "1",
  endpoints: [getThing, postThing, postNote, postEvent, turnThing, findThing, uploadThing],
  credentials: {
    key: [
      { in: "bearer", description: "Authorization: Bearer <key>" },
      { in: "header", name: "X-API-Key", description: "X-API-Key: <key>" },
      { in: "query", name: "key", description: "?key=<key>" },
    ],
  },
};

export interface Fixture extends AsyncDisposable {
  readonly server: Server<string>;
  /** Captured log lines. */
  readonly lines: string[];
}

export async function createFixture(
  options: {
    readonly ready?: string | null;
    readonly cors?: boolean;
    readonly headers?: ServerOptions<string>["headers"];
    readonly problemMembers?: ServerOptions<string>["problemMembers"];
    readonly upgrades?: ServerOptions<string>["upgrades"];
    readonly hosts?: ServerOptions<string>["hosts"];
    readonly publicUrl?: string;
    /** Passed on unchanged. */
    readonly limits?: Pick<
      ServerOptions<string>,
      "requestTimeoutMs" | "uploadTimeoutMs" | "connections" | "admitAnonymous"
    >;
  } = {},
): Promise<Fixture> {
  const lines: string[] = [];
  const logger = createLogger({
    service: "thing",
    level: "debug",
    destination: { write: (line) => void lines.push(line) },
  });
  const server = await createServer<string>({
    contract,
    logger,
    async identify(request) {
      const [key] = readCredentials(request, contract.credentials["key"]);
      if (key === undefined)
        throw new Problem("key_required", { headers: { "WWW-Authenticate": 'Bearer realm="thing"' } });
      return key;
    },
    readiness: async () => options.ready ?? null,
    ...(options.cors && { cors: { exposedHeaders: ["X-Request-Id"] } }),
    ...(options.headers && { headers: options.headers }),
    ...(options.problemMembers && { problemMembers: options.problemMembers }),
    ...(options.upgrades && { upgrades: options.upgrades }),
    ...(options.hosts && { hosts: options.hosts }),
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
    ...options.limits,
  });
  server.mount(getThing, ({ params, query, caller }) => {
    if (params.name === "broken") throw new Error(`the disk of ${caller} is gone`);
    return { name: params.name, query };
  });
  server.mount(postThing, ({ body }) => ({ name: body.name }));
  server.mount(postNote, ({ idempotencyKey, reply }) => reply.code(201).send({ key: idempotencyKey }));
  server.mount(turnThing, ({ body: { by = 90 } }) => ({ by }));
  server.mount(findThing, ({ query }) => ({ owner: query.owner }));
  server.mount(uploadThing, async ({ request }) => {
    let bytes = 0;
    for await (const chunk of request.raw) bytes += (chunk as Buffer).length;
    return { bytes };
  });
  server.mount(postEvent, ({ body }) => ({ hex: body.toString("hex") }));
  return { server, lines, [Symbol.asyncDispose]: () => server.stop() };
}
