/** Workers: the channel that they connect to, and what their owner sees of them and does with them. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";

export const connectWorker = defineEndpoint({
  id: "connectWorker",
  method: "GET",
  path: "/api/worker/connect",
  summary: "The channel of a worker: a WebSocket",
  description:
    "Upgrade with the subprotocol `panel.worker.v1` and the licence key as bearer; then frames of text JSON. Without an upgrade the answer is 400.",
  auth: "worker",
  query: Type.Object({}, { additionalProperties: true }),
  answers: { 101: { description: "the connection is a WebSocket now; the worker says `hello` within 5 s" } },
  problems: ["unauthenticated", "validation_failed"],
});
