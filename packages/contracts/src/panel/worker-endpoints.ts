import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { anyId, READ_ERRORS, strictObject, WRITE_ERRORS } from "./schema-helpers.ts";
import { ProbeResult, Worker, WorkerModels, WorkerStatus } from "./worker-schemas.ts";

export const connectWorker = defineEndpoint({
  id: "connectWorker",
  method: "GET",
  path: "/api/worker/connect",
  summary: "Connect a worker over WebSocket",
  description:
    "Upgrade with the subprotocol `panel.worker.v1` and the license key as bearer token. Frames are JSON text. Without an upgrade the response is 400.",
  auth: "worker",
  query: Type.Object({}, { additionalProperties: true }),
  answers: { 101: { description: "WebSocket established; the worker sends `hello` within 5 s" } },
  problems: ["unauthenticated", "validation_failed"],
});

const cli = Type.String({ minLength: 1, maxLength: 60 });
const model = Type.String({ minLength: 1, maxLength: 200 });
const workerId = strictObject({ id: anyId("wrk") });

export const workerStatus = defineEndpoint({
  id: "workerStatus",
  method: "GET",
  path: "/api/worker/status",
  summary: "List your workers with health and probe results",
  description: "`summary` adds up slots and the queue. A worker is `stale` when its heartbeat is late.",
  auth: "account",
  answers: { 200: { description: "all known workers, newest first", schema: WorkerStatus } },
  problems: READ_ERRORS,
});

export const listWorkerModels = defineEndpoint({
  id: "listWorkerModels",
  method: "GET",
  path: "/api/worker/models",
  summary: "List the models of an agent CLI on your connected workers",
  description:
    "As reported by the workers within the last ten minutes. With `refresh`, the panel queries them and waits at most 3 s.",
  auth: "account",
  query: strictObject({ cli, refresh: Type.Optional(Type.Boolean()) }),
  answers: { 200: { description: "no models if no worker has this agent", schema: WorkerModels } },
  problems: READ_ERRORS,
});

export const probeWorker = defineEndpoint({
  id: "probeWorker",
  method: "POST",
  path: "/api/worker/probe",
  summary: "Test whether an agent and model respond",
  description:
    "Sends one tiny real prompt, with a timeout of 30 s. Without `worker_id`, any connected worker with the agent is used. The response is 200 whatever the result.",
  auth: "account",
  body: strictObject({ cli, model, worker_id: Type.Optional(Type.String({ maxLength: 200 })) }),
  answers: { 200: { description: "result of the test", schema: ProbeResult } },
  problems: [...WRITE_ERRORS, "not_found", "no_worker_connected"],
});

export const updateWorker = defineEndpoint({
  id: "updateWorker",
  method: "PATCH",
  path: "/api/workers/{id}",
  summary: "Enable or disable a worker",
  description:
    "A disabled worker gets no new runs. Its current runs finish; with `drain: false`, they are stopped and queued for another worker.",
  auth: "account",
  params: workerId,
  body: strictObject({ enabled: Type.Boolean(), drain: Type.Optional(Type.Boolean({ default: true })) }),
  answers: { 200: { description: "the worker", schema: Worker } },
  problems: [...WRITE_ERRORS, "not_found"],
});

export const deleteWorker = defineEndpoint({
  id: "deleteWorker",
  method: "DELETE",
  path: "/api/workers/{id}",
  summary: "Remove a worker",
  description: "Its runs are immediately queued for other workers. If the worker is connected, it is disconnected.",
  auth: "account",
  takesNoBody: true,
  params: workerId,
  answers: { 204: { description: "deleted" } },
  problems: [...WRITE_ERRORS, "not_found"],
});
