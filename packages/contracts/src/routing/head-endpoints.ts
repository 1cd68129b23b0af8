import { Type } from "typebox";
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { FeedbackAnswer, FeedbackRequest, Head, HeadRequest } from "./head-schemas.ts";
import { HEAD_BODY_BYTES } from "./limits.ts";
import { strictObject } from "./requests.ts";

const id = strictObject({ id: Type.String({ maxLength: 64, description: "`hed_…`" }) });
const WRITE_ERRORS = [
  "invalid_json",
  "validation_failed",
  "router_token_required",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
const IDEMPOTENT_ERRORS = ["idempotency_key_reused", "idempotency_in_progress"] as const;
const LOCATION = { Location: "path of the head" };

export const createHead = defineEndpoint({
  id: "createHead",
  method: "POST",
  path: "/v1/heads",
  summary: "Train a head from phrasings and examples",
  description:
    "Waits for training as long as `Prefer: wait=N` says (0 to 60 seconds, default 20). The first version of a name is live immediately; later ones stay `ready` until promoted. A head that cannot be calibrated, or that learned nothing, is `rejected` and cannot be used.",
  auth: "caller",
  idempotent: true,
  bodyLimit: HEAD_BODY_BYTES,
  body: HeadRequest,
  answers: {
    201: { description: "training has ended; `state` contains the result", schema: Head, headers: LOCATION },
    202: { description: "training continues: poll the head", schema: Head, headers: LOCATION },
  },
  problems: [...WRITE_ERRORS, "too_few_examples", "head_limit", "training_queue_full", ...IDEMPOTENT_ERRORS],
});

export const listHeads = defineEndpoint({
  id: "listHeads",
  method: "GET",
  path: "/v1/heads",
  summary: "List your heads by name and version",
  description: "All versions of all heads, with state, calibration and report. Deleted heads are absent.",
  auth: "caller",
  answers: {
    200: {
      description: "all heads",
      schema: strictObject({ object: Type.Literal("list"), data: Type.Array(Head) }, { title: "HeadList" }),
    },
  },
  problems: ["validation_failed"],
  examples: ["/v1/heads"],
});

export const getHead = defineEndpoint({
  id: "getHead",
  method: "GET",
  path: "/v1/heads/{id}",
  summary: "Get a head with its report",
  description: "Poll this endpoint while `state` is `training`. The report is cross-fitted on the examples.",
  auth: "caller",
  params: id,
  answers: { 200: { description: "the head", schema: Head } },
  problems: ["validation_failed", "head_not_found"],
});

export const deleteHead = defineEndpoint({
  id: "deleteHead",
  method: "DELETE",
  path: "/v1/heads/{id}",
  summary: "Delete a head, its file and its feedback, even if it is live",
  description: "Decisions that name the head return 404 afterwards. A deleted head cannot be restored.",
  auth: "caller",
  params: id,
  takesNoBody: true,
  answers: { 204: { description: "deleted" } },
  problems: ["invalid_json", "validation_failed", "router_token_required", "head_not_found"],
});

const NOT_MODIFIED = { description: "the file matches `If-None-Match`" };

export const getHeadArtifact = defineEndpoint({
  id: "getHeadArtifact",
  method: "GET",
  path: "/v1/heads/{id}/artifact",
  summary: "Download the head file, for use on another router",
  description: "`triptych router heads import <file>` imports it into a router. `If-None-Match` is supported.",
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
  summary: "Get the model card, generated from the report",
  description: "A Markdown document with the purpose, data, figures and limits of the head.",
  auth: "caller",
  params: id,
  answers: { 200: { description: "the card", schema: Type.String(), media: ["text/markdown"] } },
  problems: ["validation_failed", "head_not_found", "head_not_ready"],
});

export const shadowHead = defineEndpoint({
  id: "shadowHead",
  method: "POST",
  path: "/v1/heads/{id}/shadow",
  summary: "Start or stop shadowing the live version",
  description: "Shadow decisions are counted but never returned. `shadow` of the head contains the figures.",
  auth: "caller",
  params: id,
  body: strictObject({ enabled: Type.Boolean() }),
  answers: { 200: { description: "the head", schema: Head } },
  problems: [...WRITE_ERRORS, "head_not_found", "head_not_ready"],
});

export const promoteHead = defineEndpoint({
  id: "promoteHead",
  method: "POST",
  path: "/v1/heads/{id}/promote",
  summary: "Promote a version to live",
  description:
    "The previous live version is retired and can be promoted again at any time. `force` skips the gate, but never promotes a rejected head.",
  auth: "caller",
  params: id,
  body: strictObject({ force: Type.Optional(Type.Boolean()) }),
  answers: { 200: { description: "the head", schema: Head } },
  problems: [...WRITE_ERRORS, "head_not_found", "head_not_ready", "promotion_gate", "trunk_mismatch"],
});

export const sendFeedback = defineEndpoint({
  id: "sendFeedback",
  method: "POST",
  path: "/v1/feedback",
  summary: "Send the correct result of a decision",
  description:
    "Stored for this head only, for 90 days, and deleted with it. `recalibrate` keeps the new calibration only if it is no worse on held-out rows.",
  auth: "caller",
  idempotent: true,
  bodyLimit: HEAD_BODY_BYTES,
  body: FeedbackRequest,
  answers: { 202: { description: "counted", schema: FeedbackAnswer } },
  problems: [
    ...WRITE_ERRORS,
    "expert_not_found",
    "head_read_only",
    "head_not_ready",
    "trunk_mismatch",
    "training_queue_full",
    ...IDEMPOTENT_ERRORS,
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
