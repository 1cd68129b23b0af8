/** Heads of an owner: trained from examples, judged beside the live one, put in its place, taken along as a file. */
import { Type } from "typebox";
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { FeedbackAnswer, FeedbackRequest, Head, HeadRequest } from "./head-shapes.ts";
import { HEAD_BODY_BYTES } from "./limits.ts";
import { closed } from "./requests.ts";

const id = closed({ id: Type.String({ maxLength: 64, description: "`hed_…`" }) });
const written = [
  "invalid_json",
  "validation_failed",
  "router_token_required",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
const keyed = ["idempotency_key_reused", "idempotency_in_progress"] as const;
const LOCATION = { Location: "path of the head" };

export const createHead = defineEndpoint({
  id: "createHead",
  method: "POST",
  path: "/v1/heads",
  summary: "Train a head from phrasings and examples",
  description:
    "Waits for the training as long as `Prefer: wait=N` says (0 to 60 seconds, default 20). The first version of a name is live at once, later ones are `ready` until they are promoted. A head that is not calibrated or has learned nothing is `rejected` and cannot be used.",
  auth: "caller",
  idempotent: true,
  bodyLimit: HEAD_BODY_BYTES,
  body: HeadRequest,
  ownReading: true,
  answers: {
    201: { description: "training has ended; `state` says how", schema: Head, headers: LOCATION },
    202: { description: "training goes on: read the head again", schema: Head, headers: LOCATION },
  },
  problems: [...written, "too_few_examples", "head_limit", "training_queue_full", ...keyed],
});

export const listHeads = defineEndpoint({
  id: "listHeads",
  method: "GET",
  path: "/v1/heads",
  summary: "Your heads, in the order of names and versions",
  auth: "caller",
  answers: {
    200: { description: "all of them", schema: closed({ object: Type.Literal("list"), data: Type.Array(Head) }) },
  },
  problems: ["validation_failed"],
  examples: ["/v1/heads"],
});

export const getHead = defineEndpoint({
  id: "getHead",
  method: "GET",
  path: "/v1/heads/{id}",
  summary: "A head with its report",
  auth: "caller",
  params: id,
  answers: { 200: { description: "the head", schema: Head } },
  problems: ["validation_failed", "head_not_found"],
});

export const deleteHead = defineEndpoint({
  id: "deleteHead",
  method: "DELETE",
  path: "/v1/heads/{id}",
  summary: "Delete a head, its file and its feedback; a live one too",
  auth: "caller",
  params: id,
  takesNoBody: true,
  answers: { 204: { description: "it is gone" } },
  problems: ["invalid_json", "validation_failed", "router_token_required", "head_not_found"],
});

const NOT_MODIFIED = { description: "`If-None-Match` names this file" };

export const getHeadArtifact = defineEndpoint({
  id: "getHeadArtifact",
  method: "GET",
  path: "/v1/heads/{id}/artifact",
  summary: "The head file, to be taken to another router",
  description: "`triptych router heads import <file>` brings it into an appliance. `If-None-Match` is honoured.",
  auth: "caller",
  params: id,
  answers: {
    200: {
      description: "the file",
      schema: Type.String({ format: "binary" }),
      media: ["application/octet-stream"],
      headers: { ETag: "SHA-256 of the file" },
    },
    304: NOT_MODIFIED,
  },
  problems: ["validation_failed", "head_not_found", "head_not_ready"],
});

export const getHeadCard = defineEndpoint({
  id: "getHeadCard",
  method: "GET",
  path: "/v1/heads/{id}/card",
  summary: "The model card, made from the report",
  auth: "caller",
  params: id,
  answers: { 200: { description: "the card", schema: Type.String(), media: ["text/markdown"] } },
  problems: ["validation_failed", "head_not_found", "head_not_ready"],
});

export const shadowHead = defineEndpoint({
  id: "shadowHead",
  method: "POST",
  path: "/v1/heads/{id}/shadow",
  summary: "Let a version decide beside the live one, or stop it",
  description: "What it decides is counted and never seen. The figures stand in `shadow` of the head.",
  auth: "caller",
  params: id,
  body: closed({ enabled: Type.Boolean() }),
  answers: { 200: { description: "the head", schema: Head } },
  problems: [...written, "head_not_found", "head_not_ready"],
});

export const promoteHead = defineEndpoint({
  id: "promoteHead",
  method: "POST",
  path: "/v1/heads/{id}/promote",
  summary: "Make a version the live one",
  description:
    "The one that was live is retired and can be promoted back at any time. `force` passes the gate, never a rejection.",
  auth: "caller",
  params: id,
  body: closed({ force: Type.Optional(Type.Boolean()) }),
  answers: { 200: { description: "the head", schema: Head } },
  problems: [...written, "head_not_found", "head_not_ready", "promotion_gate", "trunk_mismatch"],
});

export const sendFeedback = defineEndpoint({
  id: "sendFeedback",
  method: "POST",
  path: "/v1/feedback",
  summary: "Say what would have been right",
  description:
    "Kept for this head alone, 90 days, and gone with it. `recalibrate` keeps the new calibration only where it is no worse on rows that it was not fitted on.",
  auth: "caller",
  idempotent: true,
  bodyLimit: HEAD_BODY_BYTES,
  body: FeedbackRequest,
  ownReading: true,
  answers: { 202: { description: "counted", schema: FeedbackAnswer } },
  problems: [
    ...written,
    "expert_not_found",
    "head_read_only",
    "head_not_ready",
    "trunk_mismatch",
    "training_queue_full",
    ...keyed,
  ],
});

export const headEndpoints: readonly Endpoint[] = [
  createHead,
  listHeads,
  getHead,
  deleteHead,
  getHeadArtifact,
  getHeadCard,
  shadowHead,
  promoteHead,
  sendFeedback,
];
