/** The endpoints that foreign clients know, unmodified. Faults of validation are 422 in their form; all else is as everywhere. */
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import {
  CompatFaults,
  DecisionsAnswer,
  DecisionsRequest,
  Models,
  SystemOneAnswer,
  SystemOneRequest,
} from "./compat-shapes.ts";

const faults = {
  description: "`validation_failed`: every fault of the request, in the wire's form",
  schema: CompatFaults,
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
  summary: "Many questions about one state, TypeSafe wire",
  description: "One decision, whatever the number of questions.",
  auth: "caller",
  body: SystemOneRequest,
  ownReading: true,
  answers: {
    200: {
      description: "an answer to each question, by name",
      schema: SystemOneAnswer,
      headers: { "x-typesafe-request-id": "equal to `X-Request-Id`" },
    },
    422: faults,
  },
  problems,
});

export const decisions = defineEndpoint({
  id: "decisions",
  method: "POST",
  path: "/v1/decisions",
  summary: "Many questions about one input, OpenAI Decisions wire",
  description: "One decision, whatever the number of questions.",
  auth: "caller",
  body: DecisionsRequest,
  ownReading: true,
  answers: { 200: { description: "the answers, in the order of the questions", schema: DecisionsAnswer }, 422: faults },
  problems,
});

export const listModels = defineEndpoint({
  id: "listModels",
  method: "GET",
  path: "/v1/models",
  summary: "Models, for both wires",
  auth: "caller",
  answers: { 200: { description: "the models", schema: Models } },
  problems: [],
  examples: ["/v1/models"],
});

export const compatEndpoints: readonly Endpoint[] = [systemone, decisions, listModels];
