/** What is said while things happen: the bus of a run, and hints of changes of the account. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { BusMessage } from "./bus-shapes.ts";
import { BUS_KINDS, BUS_MEDIA, BUS_ROLES, CHANGES_MEDIA, RUN_STATES } from "./limits.ts";
import { anyId, asked, closed } from "./pieces.ts";

const VARY = { Vary: "`Accept`" };

export const readBus = defineEndpoint({
  id: "readBus",
  method: "GET",
  path: "/api/runs/{id}/bus",
  summary: "What the agents, the worker and the panel say of a run",
  description:
    "JSON by default: a page of messages behind `after`, at once or, with `wait`, as soon as there is one. With `Accept: text/event-stream` an event stream that begins behind `Last-Event-ID`, which wins over `after`: each message is one event, its `id` the `seq`, its data one line of JSON. After the last message of a run that is complete comes the event `end` and the stream is closed; who has all of it gets 204. History that is no longer kept is one first message of kind `gap`. `limit` and `wait` are for JSON only.",
  auth: "account",
  params: closed({ id: anyId("run") }),
  query: closed({
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        default: 0,
        description: "the `seq` of the last message that you have",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 200 })),
    kind: Type.Optional(Type.Array(Type.Enum([...BUS_KINDS]), { maxItems: BUS_KINDS.length })),
    role: Type.Optional(Type.Array(Type.Enum([...BUS_ROLES]), { maxItems: BUS_ROLES.length })),
    wait: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: "seconds to wait for a message, where there is none",
      }),
    ),
  }),
  answers: {
    200: {
      description: "messages in the order of their `seq`",
      schema: closed({
        run_id: Type.String(),
        state: Type.Enum([...RUN_STATES]),
        items: Type.Array(BusMessage),
        last_seq: Type.Integer({ minimum: 0, description: "of the bus, whatever was asked for" }),
        complete: Type.Boolean({ description: "nothing more will be said by itself" }),
      }),
      media: BUS_MEDIA,
      headers: VARY,
    },
    204: { description: "event stream only: the run is complete, and you have everything of it", headers: VARY },
  },
  problems: [...asked, "not_found", "not_acceptable"],
});

export const watchChanges = defineEndpoint({
  id: "watchChanges",
  method: "GET",
  path: "/api/changes",
  summary: "Hints of what is changed in your account",
  description:
    "An event stream of `{type, id, repo_id, revision}`, one after each change; of many that come at once, the last of each thing. Hints are not kept: who reconnects reads again what it shows.",
  auth: "account",
  answers: {
    200: { description: "a stream that ends only with its connection", schema: Type.String(), media: CHANGES_MEDIA },
  },
  problems: [...asked, "not_acceptable"],
});
