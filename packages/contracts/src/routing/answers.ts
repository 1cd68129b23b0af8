/** What the native endpoints answer. Numbers are full IEEE doubles, never rounded; every body is RFC 8785 canonical JSON. */
import { Type } from "typebox";
import { ACTIONS, BASES, ENGINE_PARTS, EVIDENCE_KINDS, HAND_OFF_RULES, MODEL, REASONS } from "./limits.ts";
import { closed, nullable } from "./requests.ts";

const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const probabilities = (description: string) =>
  Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), {
    description: `${description}; the sum is 1 within 1e-12`,
  });

export const Explanation = closed(
  {
    choice: Type.String(),
    versus: nullable(Type.String({ description: "what it is held against; null where there is nothing else" })),
    logit_difference: Type.Number({ description: "bias + contributions + other, within 1e-9" }),
    bias: Type.Number(),
    other: Type.Number({ description: "contributions that are not listed, summed" }),
    evidence: Type.Array(
      closed({
        feature: Type.String(),
        kind: Type.Enum([...EVIDENCE_KINDS]),
        weight: Type.Number(),
        contribution: Type.Number(),
      }),
    ),
  },
  { title: "Explanation", description: "why this and not the next: the difference of their logits, taken apart" },
);
const explanation = Type.Optional(Explanation);

const common = (object: string) => ({
  object: Type.Literal(object),
  model: Type.Literal(MODEL),
  id: Type.String({ description: "equal to `X-Request-Id`" }),
  expert: Type.Optional(Type.String({ description: "expert that answered; absent for zero-shot" })),
  domain: Type.Optional(
    Type.String({ description: "subject of the request; absent when unsure; never changes the action" }),
  ),
  latency_ms: Type.Number({ minimum: 0, description: "the engine's own time" }),
  usage: closed({
    decisions: Type.Literal(1),
    input_tokens: Type.Integer({ minimum: 0, description: "of the whole text, whatever was read of it" }),
    truncated: Type.Boolean({ description: "the text is longer than what is read: its beginning and its end" }),
  }),
});

const standing = {
  confidence: probability("calibrated probability that the choice is correct"),
  confidence_kind: Type.Literal("p_correct"),
  probabilities: probabilities("over the routes considered, given that one of them is right"),
  set: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: "conformal set; the choice is in it" })),
  set_size: Type.Optional(Type.Integer({ minimum: 1 })),
  qhat: Type.Optional(probability("threshold of the conformal set")),
  basis: Type.Enum([...BASES]),
  via: Type.Enum([...ENGINE_PARTS], { description: "part of the engine that answered" }),
  explanation,
};
const reason = Type.Enum([...REASONS], { description: "one word for programs" });

const decision = {
  choice: Type.String(),
  ...standing,
  abstain: Type.Boolean({ description: "/v1/route would delegate, for another reason than `noul_escalate`" }),
  reason,
};
const escalation = {
  escalate: Type.Boolean(),
  answer: Type.Enum(["yes", "no"]),
  p_yes: probability("calibrated probability that the request should be escalated"),
  threshold: probability("`p_yes` from which it is"),
  reason: Type.Enum(["ok", "noul_escalate"]),
  rules: Type.Array(Type.Enum([...HAND_OFF_RULES]), { description: "hand-off rules that fired" }),
  explanation,
};
const level = (description: string) => Type.Integer({ minimum: 1, maximum: 4, description });
const complexity = {
  complexity: level("1 one direct step, 2 a choice or several arguments, 3 several steps, 4 long work"),
  tier: level("the same"),
  expected: Type.Number({ minimum: 1, maximum: 4, description: "mean of the four levels" }),
  confidence: probability("calibrated probability that the level is right"),
  probabilities: closed({
    "1": probability(""),
    "2": probability(""),
    "3": probability(""),
    "4": probability(""),
  }),
  explanation,
};

export const RouteAnswer = closed(
  {
    ...common("route"),
    action: Type.Enum([...ACTIONS], { description: "what to do with the request" }),
    route: Type.String({ description: "the likeliest route, also when the action is `delegate`" }),
    ...standing,
    p_yes: escalation.p_yes,
    tier: complexity.tier,
    reason,
    reason_text: Type.String({ description: "one sentence built from values, never from the request's text" }),
    gate_confidence: Type.Optional(probability("that the right expert was chosen among several")),
  },
  { title: "RouteAnswer" },
);
export const DecideAnswer = closed({ ...common("decision"), ...decision }, { title: "DecideAnswer" });
export const NoulAnswer = closed({ ...common("noul"), ...escalation }, { title: "NoulAnswer" });
export const ScoreAnswer = closed({ ...common("score"), ...complexity }, { title: "ScoreAnswer" });
export const AssessAnswer = closed(
  {
    ...common("assessment"),
    action: RouteAnswer.properties.action,
    reason,
    decision: closed(decision),
    escalation: closed(escalation),
    complexity: closed(complexity),
  },
  { title: "AssessAnswer" },
);
