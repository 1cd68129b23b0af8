/** Live events: the message bus of a run, and change notifications of the account. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { BusMessage } from "./bus-schemas.ts";
import { BUS_KINDS, BUS_MEDIA, BUS_ROLES, CHANGES_MEDIA, RUN_STATES } from "./limits.ts";
import { anyId, READ_ERRORS, strictObject } from "./schema-helpers.ts";

const VARY = { Vary: "`Accept`" };

export const readBus = defineEndpoint({
  id: "readBus",
  method: "GET",
  path: "/api/runs/{id}/bus",
  summary: "Read the messages of a run: agents, worker and panel",
  description:
    "Returns JSON by default: a page of messages after `after`. With `wait`, the response waits for a message if there is none. `Accept: text/event-stream` returns an event stream that starts after `Last-Event-ID`, which overrides `after`. Each message is one event: its `id` is the `seq`, its data one line of JSON. After the last message of a completed run, the event `end` closes the stream. A client that already has all messages gets 204. If older messages were deleted, the first message is of kind `gap`. `limit` and `wait` apply to JSON only.",
  auth: "account",
  params: strictObject({ id: anyId("run") }),
  query: strictObject({
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        default: 0,
        description: "`seq` of the last message received",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 200 })),
    kind: Type.Optional(Type.Array(Type.Enum([...BUS_KINDS], { title: "BusKind" }), { maxItems: BUS_KINDS.length })),
    role: Type.Optional(Type.Array(Type.Enum([...BUS_ROLES], { title: "BusRole" }), { maxItems: BUS_ROLES.length })),
    wait: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: "seconds to wait for a message if there is none",
      }),
    ),
  }),
  answers: {
    200: {
      description: "messages ordered by `seq`",
      schema: strictObject(
        {
          run_id: Type.String(),
          state: Type.Enum([...RUN_STATES], { title: "RunState" }),
          items: Type.Array(BusMessage),
          last_seq: Type.Integer({ minimum: 0, description: "last `seq` of the whole bus, regardless of the request" }),
          complete: Type.Boolean({ description: "true if no further messages will follow" }),
        },
        { title: "BusPage" },
      ),
      media: BUS_MEDIA,
      schemas: {
        "text/event-stream": Type.String({
          description: "one event per message: its `id` is the `seq`, its `data` a BusMessage",
        }),
      },
      headers: VARY,
    },
    204: { description: "event stream only: the run is complete, and the client has all messages", headers: VARY },
  },
  problems: [...READ_ERRORS, "not_found", "not_acceptable"],
});

export const watchChanges = defineEndpoint({
  id: "watchChanges",
  method: "GET",
  path: "/api/changes",
  summary: "Stream change notifications of your account",
  description:
    "An event stream of `{type, id, repo_id, revision}`, one event per change. Rapid changes of the same object are merged into one event. Notifications are not stored: after reconnecting, read the displayed objects again.",
  auth: "account",
  answers: {
    200: {
      description: "a stream that ends only when the connection closes",
      schema: Type.String({ description: "one event per change: its `data` is `{type, id, repo_id, revision}`" }),
      media: CHANGES_MEDIA,
    },
  },
  problems: [...READ_ERRORS, "not_acceptable"],
});
