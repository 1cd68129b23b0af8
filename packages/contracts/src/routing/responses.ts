/**
 * Response schemas of the native endpoints. Numbers are full IEEE doubles, never rounded; bodies are RFC 8785
 * canonical JSON.
 */
import { Type } from "typebox";
import { ACTIONS, BASES, ENGINE_PARTS, EVIDENCE_KINDS, HAND_OFF_RULES, MODEL, REASONS } from "./limits.ts";
import { strictObject, nullable } from "./requests.ts";

const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const probabilities = (description: string) =>
  Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), {
    description: `${description}; they sum to 1 within 1e-12`,
  });

export const Explanation = strictObject(
  {
    choice: Type.String(),
    versus: nullable(Type.String({ description: "the alternative compared with; null if there is none" })),
    logit_difference: Type.Number({ description: "bias + contributions + other, within 1e-9" }),
    bias: Type.Number(),
    other: Type.Number({ description: "sum of the unlisted contributions" }),
    evidence: Type.Array(
      strictObject({
        feature: Type.String(),
        kind: Type.Enum([...EVIDENCE_KINDS]),
        weight: Type.Number(),
        contribution: Type.Number(),
      }),
    ),
  },
  {
    title: "Explanation",
    description: "why this choice and not the runner-up: the logit difference, split into contributions",
  },
);
const explanation = Type.Optional(Explanation);

const common = (object: string) => ({
  object: Type.Literal(object),
  model: Type.Literal(MODEL),
  id: Type.String({ description: "same as `X-Request-Id`" }),
  expert: Type.Optional(Type.String({ description: "expert that decided; absent for zero-shot" })),
  domain: Type.Optional(
    Type.String({ description: "subject of the request; absent if uncertain; never changes the action" }),
  ),
  latency_ms: Type.Number({ minimum: 0, description: "time of the engine alone" }),
  usage: strictObject({
    decisions: Type.Literal(1),
    input_tokens: Type.Integer({ minimum: 0, description: "of the whole text, including unread tokens" }),
    truncated: Type.Boolean({ description: "the text exceeds the limit: only its beginning and end were read" }),
  }),
});

const confidenceFields = {
  confidence: probability("calibrated probability that the choice is correct"),
  confidence_kind: Type.Literal("p_correct"),
  probabilities: probabilities("over the considered routes, given that one of them is right"),
  set: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: "conformal set; contains the choice" })),
  set_size: Type.Optional(Type.Integer({ minimum: 1 })),
  qhat: Type.Optional(probability("threshold of the conformal set")),
  basis: Type.Enum([...BASES]),
  via: Type.Enum([...ENGINE_PARTS], { description: "component of the engine that decided" }),
  explanation,
};
const reason = Type.Enum([...REASONS], {
  description:
    "machine-readable reason; `out_of_scope` also means that the text cannot be read, or that it negates, quotes or injects the command",
});

const decision = {
  choice: Type.String(),
  ...confidenceFields,
  abstain: Type.Boolean({ description: "/v1/route would delegate for a reason other than `noul_escalate`" }),
  reason,
};
const escalation = {
  escalate: Type.Boolean(),
  answer: Type.Enum(["yes", "no"]),
  p_yes: probability("calibrated probability that the request should be escalated"),
  threshold: probability("threshold of `p_yes` for escalation"),
  reason: Type.Enum(["ok", "noul_escalate"]),
  rules: Type.Array(Type.Enum([...HAND_OFF_RULES]), { description: "escalation rules that matched" }),
  explanation,
};
const level = (description: string) => Type.Integer({ minimum: 1, maximum: 4, description });
const complexity = {
  complexity: level("1 one direct step, 2 a choice or several arguments, 3 several steps, 4 long task"),
  tier: level("same value as `complexity`"),
  expected: Type.Number({ minimum: 1, maximum: 4, description: "mean of the four levels" }),
  confidence: probability("calibrated probability that the level is right"),
  probabilities: strictObject({
    "1": probability(""),
    "2": probability(""),
    "3": probability(""),
    "4": probability(""),
  }),
  explanation,
};

const economy = Type.Optional(
  strictObject(
    {
      choice: Type.String({
        description:
          "the route with the lowest expected cost; ties go to the incumbent, then to the first label in order",
      }),
      action: Type.Enum(["keep", "switch"], { description: "`keep`: the choice is the incumbent" }),
      expected_cost_micro: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
        description:
          "in micro-euros, not rounded: (`cached_tokens` × `cached_input` of the incumbent, else `input`, + `new_tokens` × `input` + `output_tokens` × `output`) / 1,000,000 + (1 − `probabilities[label]`) × `error_cost_micro`",
      }),
    },
    { title: "Economy", description: "present if the request has `economy`" },
  ),
);

export const RouteAnswer = strictObject(
  {
    ...common("route"),
    action: Type.Enum([...ACTIONS], { description: "what to do with the request" }),
    route: Type.String({ description: "the most likely route, even if the action is `delegate`" }),
    ...confidenceFields,
    p_yes: escalation.p_yes,
    tier: complexity.tier,
    reason,
    reason_text: Type.String({ description: "one sentence built from values, never from the text of the request" }),
    gate_confidence: Type.Optional(probability("calibrated probability that the right expert was chosen")),
    economy,
  },
  { title: "RouteDecision" },
);
export const DecideAnswer = strictObject({ ...common("decision"), ...decision, economy }, { title: "ChoiceDecision" });
export const NoulAnswer = strictObject({ ...common("noul"), ...escalation }, { title: "EscalationDecision" });
export const ScoreAnswer = strictObject({ ...common("score"), ...complexity }, { title: "ComplexityRating" });
export const AssessAnswer = strictObject(
  {
    ...common("assessment"),
    action: RouteAnswer.properties.action,
    reason,
    decision: strictObject(decision),
    escalation: strictObject(escalation),
    complexity: strictObject(complexity),
  },
  { title: "Assessment" },
);
