/**
 * Endpoints for unmodified third-party clients. Validation problems are 422 in the client's format; everything else
 * is as in the native endpoints.
 */
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import {
  CompatErrors,
  DecisionsAnswer,
  DecisionsRequest,
  Models,
  SystemOneAnswer,
  SystemOneRequest,
} from "./compat-schemas.ts";

const issues = {
  description: "`validation_failed`: every issue of the request, in the client's format",
  schema: CompatErrors,
};
const problems = [
  "invalid_json",
  "payload_too_large",
  "unsupported_media_type",
  "expert_not_found",
  "head_not_ready",
  "trunk_mismatch",
] as const;

export const systemone = defineEndpoint({
  id: "systemone",
  method: "POST",
  path: "/v1/systemone",
  summary: "Decide many questions about one state (TypeSafe format)",
  description: "Billed as one decision, whatever the number of questions.",
  auth: "caller",
  body: SystemOneRequest,
  answers: {
    200: {
      description: "one result per question, by name",
      schema: SystemOneAnswer,
      headers: { "x-typesafe-request-id": "same as `X-Request-Id`" },
    },
    422: issues,
  },
  problems,
});

export const decisions = defineEndpoint({
  id: "decisions",
  method: "POST",
  path: "/v1/decisions",
  summary: "Decide many questions about one input (OpenAI Decisions format)",
  description: "Billed as one decision, whatever the number of questions.",
  auth: "caller",
  body: DecisionsRequest,
  answers: { 200: { description: "the results, in the order of the questions", schema: DecisionsAnswer }, 422: issues },
  problems,
});

export const listModels = defineEndpoint({
  id: "listModels",
  method: "GET",
  path: "/v1/models",
  summary: "List models, for both formats",
  description: "One body contains both lists: the TypeSafe format and the OpenAI format.",
  auth: "caller",
  answers: { 200: { description: "the models", schema: Models } },
  problems: ["validation_failed"],
  examples: ["/v1/models"],
});

export const compatEndpoints: readonly Endpoint[] = [systemone, decisions, listModels];
