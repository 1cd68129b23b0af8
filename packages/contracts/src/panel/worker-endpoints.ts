/** Workers: the channel that they connect to, and what their owner sees of them and does with them. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { anyId, asked, closed, written } from "./pieces.ts";
import { ProbeResult, Worker, WorkerModels, WorkerStatus } from "./worker-shapes.ts";

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

const cli = Type.String({ minLength: 1, maxLength: 60 });
const model = Type.String({ minLength: 1, maxLength: 200 });
const workerId = closed({ id: anyId("wrk") });

export const workerStatus = defineEndpoint({
  id: "workerStatus",
  method: "GET",
  path: "/api/worker/status",
  summary: "Your workers, with health and probes",
  auth: "account",
  answers: { 200: { description: "all that are known, the newest first", schema: WorkerStatus } },
  problems: asked,
});

export const listWorkerModels = defineEndpoint({
  id: "listWorkerModels",
  method: "GET",
  path: "/api/worker/models",
  summary: "Models of one command-line agent on your connected workers",
  description: "As the workers told within the last ten minutes; with `refresh` they are asked, for at most 3 s.",
  auth: "account",
  query: closed({ cli, refresh: Type.Optional(Type.Boolean()) }),
  answers: { 200: { description: "no models where no worker has this agent", schema: WorkerModels } },
  problems: asked,
});

export const probeWorker = defineEndpoint({
  id: "probeWorker",
  method: "POST",
  path: "/api/worker/probe",
  summary: "Test whether a pair of agent and model answers",
  description:
    "One real, tiny prompt, 30 s at most. Without `worker_id` a connected worker that has the agent is asked. Whatever comes of it is a 200.",
  auth: "account",
  body: closed({ cli, model, worker_id: Type.Optional(Type.String({ maxLength: 200 })) }),
  answers: { 200: { description: "what came of it", schema: ProbeResult } },
  problems: [...written, "not_found", "no_worker_connected"],
});

export const updateWorker = defineEndpoint({
  id: "updateWorker",
  method: "PATCH",
  path: "/api/workers/{id}",
  summary: "Enable or disable a worker",
  description:
    "A disabled worker is given nothing new. Its runs finish, or with `drain: false` are stopped there and wait for another worker.",
  auth: "account",
  params: workerId,
  body: closed({ enabled: Type.Boolean(), drain: Type.Optional(Type.Boolean({ default: true })) }),
  answers: { 200: { description: "the worker", schema: Worker } },
  problems: [...written, "not_found"],
});

export const deleteWorker = defineEndpoint({
  id: "deleteWorker",
  method: "DELETE",
  path: "/api/workers/{id}",
  summary: "Forget a worker",
  description: "Its runs wait for another worker at once; where it is connected it is sent away.",
  auth: "account",
  takesNoBody: true,
  params: workerId,
  answers: { 204: { description: "it is forgotten" } },
  problems: [...written, "not_found"],
});
