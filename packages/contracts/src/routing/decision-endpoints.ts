import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { AssessAnswer, DecideAnswer, NoulAnswer, RouteAnswer, ScoreAnswer } from "./responses.ts";
import { AssessmentRequest, DecisionRequest, JudgementRequest } from "./requests.ts";

const REQUEST_ERRORS = [
  "invalid_json",
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
const CHOICE_ERRORS = [
  ...REQUEST_ERRORS,
  "option_unknown",
  "expert_not_found",
  "head_not_ready",
  "trunk_mismatch",
] as const satisfies readonly ProblemCode[];

const SERVER_TIMING = { "Server-Timing": "`parse`, `decide` and `total`, in milliseconds" };

export const route = defineEndpoint({
  id: "route",
  method: "POST",
  path: "/v1/route",
  summary: "Get the full decision: action, route, confidence, escalation and complexity",
  description:
    "`delegate` (to a stronger model or a person) is a complete decision. The order of `options` does not change any number of a label, not even by one bit.",
  auth: "caller",
  body: DecisionRequest,
  answers: { 200: { description: "the decision", schema: RouteAnswer, headers: SERVER_TIMING } },
  problems: CHOICE_ERRORS,
});

export const decide = defineEndpoint({
  id: "decide",
  method: "POST",
  path: "/v1/decide",
  summary: "Choose a route",
  description:
    "Returns the choice with its calibrated confidence, without escalation and complexity. Custom routes are set by `options`.",
  auth: "caller",
  body: DecisionRequest,
  answers: { 200: { description: "the choice", schema: DecideAnswer, headers: SERVER_TIMING } },
  problems: CHOICE_ERRORS,
});

export const noul = defineEndpoint({
  id: "noul",
  method: "POST",
  path: "/v1/noul",
  summary: "Decide whether to escalate, with the probability of yes",
  description:
    "`p_yes` is the calibrated probability that a person or a stronger model should take over. `rules` lists matched rules.",
  auth: "caller",
  body: JudgementRequest,
  answers: { 200: { description: "yes or no", schema: NoulAnswer, headers: SERVER_TIMING } },
  problems: REQUEST_ERRORS,
});

export const score = defineEndpoint({
  id: "score",
  method: "POST",
  path: "/v1/score",
  summary: "Rate the complexity as an integer from 1 to 4",
  description: "1 is a single direct step, 4 a long task. `expected` is the mean of the four levels.",
  auth: "caller",
  body: JudgementRequest,
  answers: { 200: { description: "the rating", schema: ScoreAnswer, headers: SERVER_TIMING } },
  problems: REQUEST_ERRORS,
});

export const assess = defineEndpoint({
  id: "assess",
  method: "POST",
  path: "/v1/assess",
  summary: "Get decision, escalation and complexity from one forward pass",
  description: "The results equal those of the three single calls and of /v1/route.",
  auth: "caller",
  body: AssessmentRequest,
  answers: { 200: { description: "all three", schema: AssessAnswer, headers: SERVER_TIMING } },
  problems: CHOICE_ERRORS,
});

export const decisionEndpoints: readonly Endpoint[] = [route, decide, noul, score, assess];
