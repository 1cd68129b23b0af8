import { Type, type Static } from "typebox";
import { HEAD_NAME_PATTERN } from "../rail/limits.ts";
import {
  ALPHA_DEFAULT,
  ALPHA_MIN,
  ALPHA_MAX,
  FEEDBACK_ITEMS_MAX,
  GATES,
  HEAD_CHARACTERS_MAX,
  HEAD_DESCRIPTION_MAX,
  HEAD_EXAMPLES_MAX,
  HEAD_PHRASINGS_MAX,
  HEAD_ROUTES_MIN,
  HEAD_SLOT_VALUES_MAX,
  HEAD_SLOTS_MAX,
  HEAD_STATES,
  OPTIONS_MAX,
  OUT_OF_SCOPE_SHARE_DEFAULT,
  OUT_OF_SCOPE_SHARE_MAX,
  ROUTE_KINDS,
  SLOTS_PER_PHRASING_MAX,
  STATE_MAX,
  TEXTS_PER_PHRASING_MAX,
  TEXTS_PER_ROUTE_MIN,
} from "./limits.ts";
import { strictObject, exactlyOne, messages, nullable, RouteLabel, state } from "./requests.ts";

const text = Type.String({ minLength: 1, maxLength: STATE_MAX, pattern: "\\S" });
const slotName = Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,39}$" });
export const LANGUAGE_PATTERN = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$";
const language = Type.String({
  pattern: LANGUAGE_PATTERN,
  maxLength: 35,
  description: "a language tag, for example `fr`",
});
const alpha = Type.Number({ minimum: ALPHA_MIN, maximum: ALPHA_MAX });
const share = Type.Number({ minimum: 0, maximum: 1 });
const count = Type.Integer({ minimum: 0 });

const TaughtRoute = strictObject(
  {
    route: RouteLabel,
    kind: Type.Optional(
      Type.Enum([...ROUTE_KINDS], {
        description: "default: `chat` and `escalate` for routes of these names, else `tool`",
      }),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: HEAD_DESCRIPTION_MAX,
        description: "also a training text if the route has fewer than 5 texts; below 20 texts, the name is one too",
      }),
    ),
    phrasings: Type.Optional(
      Type.Array(text, { maxItems: HEAD_PHRASINGS_MAX, description: "example text of a user; may contain `{slot}`" }),
    ),
  },
  { title: "HeadRoute" },
);

const HeadExample = Type.Object(
  {
    text: Type.Optional(text),
    messages: Type.Optional(messages),
    route: nullable(RouteLabel),
    lang: Type.Optional(language),
  },
  {
    additionalProperties: false,
    title: "HeadExample",
    oneOf: [{ required: ["text"] }, { required: ["messages"] }],
    description: "route null: none of the routes applies",
  },
);

export const HeadRequest = strictObject(
  {
    name: Type.String({ pattern: HEAD_NAME_PATTERN, description: "an existing name creates its next version" }),
    routes: Type.Optional(
      Type.Array(TaughtRoute, {
        minItems: HEAD_ROUTES_MIN,
        maxItems: OPTIONS_MAX,
        description: `each with at least ${TEXTS_PER_ROUTE_MIN} distinct texts from \`phrasings\`, \`examples\`, or both; default: the routes of \`examples\`, without kind and description`,
      }),
    ),
    slots: Type.Optional(
      Type.Record(slotName, Type.Array(text, { minItems: 1, maxItems: HEAD_SLOT_VALUES_MAX }), {
        maxProperties: HEAD_SLOTS_MAX,
        propertyNames: slotName,
        description: `values of \`{slot}\`; a phrasing uses at most ${SLOTS_PER_PHRASING_MAX} slots and expands to at most ${TEXTS_PER_PHRASING_MAX} texts, of ${STATE_MAX} characters each and ${HEAD_CHARACTERS_MAX} together`,
      }),
    ),
    examples: Type.Optional(
      Type.Array(HeadExample, { maxItems: HEAD_EXAMPLES_MAX, description: "at most 50 000 including all phrasings" }),
    ),
    languages: Type.Optional(Type.Array(language, { maxItems: 32 })),
    gate: Type.Optional(
      Type.Enum([...GATES], {
        description: "`conformal`: abstains unless the conformal set contains exactly one route",
      }),
    ),
    alpha: Type.Optional(
      Type.Number({ ...alpha, description: `error rate of the conformal set, default ${ALPHA_DEFAULT}` }),
    ),
    min_conf: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "minimum confidence of the head" })),
    auto: Type.Optional(Type.Boolean({ description: "considered when a request names no expert; default false" })),
    domain: Type.Optional(RouteLabel),
    plus: Type.Optional(
      Type.Union([Type.Literal("auto"), Type.Boolean()], {
        description: "the lexical component; `auto`, the default, uses it if it helps",
      }),
    ),
    out_of_scope_share: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: OUT_OF_SCOPE_SHARE_MAX,
        description: `expected share of out-of-scope requests, default ${OUT_OF_SCOPE_SHARE_DEFAULT}; \`confidence\` counts them as wrong`,
      }),
    ),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: "default 1" })),
  },
  { title: "HeadRequest" },
);

const Report = Type.Object(
  {
    protocol: Type.String(),
    n: count,
    accuracy: share,
    macro_f1: share,
    nll: Type.Number(),
    brier: Type.Number(),
    ece: share,
    ece_ci95: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
    coverage_at_95: share,
    wrong_at_90: nullable(share),
    scope_auroc: nullable(share),
    scope: Type.Optional(
      strictObject(
        {
          share: { ...share, description: "expected share of out-of-scope requests" },
          examples: { ...count, description: "examples without a route" },
          background: { ...count, description: "background texts shipped with the engine" },
          masked_examples: { ...count, description: "examples whose correct route was removed from the options" },
        },
        { description: "out-of-scope rows of the calibration" },
      ),
    ),
    languages: Type.Optional(
      Type.Array(strictObject({ lang: Type.String(), n: count, accuracy: share }), {
        description: "of in-scope examples with a language",
      }),
    ),
    confusions: Type.Array(Type.Array(Type.Unknown())),
    risk_curve: Type.Array(Type.Array(Type.Number())),
  },
  { description: "cross-fitted on the examples: no row is evaluated by a model trained on it", title: "HeadReport" },
);

export const ShadowFigures = strictObject(
  {
    n: Type.Integer({ minimum: 0, description: "decisions shadowed by this version" }),
    agreement: nullable(share),
    labelled: Type.Integer({ minimum: 0, description: "feedback rows decided by both versions" }),
    live_correct: count,
    shadow_correct: count,
    wilson_low: nullable(Type.Number({ description: "lower 95 % bound of its accuracy on labelled rows" })),
  },
  { title: "ShadowFigures" },
);

export const Head = strictObject(
  {
    object: Type.Literal("head"),
    id: Type.String({ pattern: "^hed_" }),
    name: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    state: Type.Enum([...HEAD_STATES]),
    reason: Type.Optional(
      Type.Enum(["ece", "no_signal", "interrupted", "internal"], {
        description: "why the head was rejected or its training failed",
      }),
    ),
    created_at: Type.String({ format: "date-time" }),
    trained_at: Type.Optional(Type.String({ format: "date-time" })),
    training_ms: Type.Optional(count),
    trunk: Type.Optional(Type.String()),
    sha256: Type.Optional(Type.String({ description: "size and digest of the head file" })),
    routes: Type.Array(
      strictObject({
        route: Type.String(),
        kind: Type.Enum([...ROUTE_KINDS]),
        description: Type.String(),
        texts: count,
      }),
    ),
    size: Type.Optional(strictObject({ dense_bytes: count, plus_bytes: count })),
    calibration: Type.Optional(
      strictObject({
        revision: Type.Integer({ minimum: 1 }),
        temperature: Type.Number(),
        qhat: share,
        alpha,
        floor: share,
      }),
    ),
    report: Type.Optional(Report),
    shadow: Type.Optional(ShadowFigures),
    gate: Type.Enum([...GATES]),
    auto: Type.Boolean(),
    domain: Type.Optional(Type.String()),
    languages: Type.Array(Type.String()),
    links: strictObject({ artifact: Type.Optional(Type.String()), card: Type.Optional(Type.String()) }),
  },
  { title: "Head" },
);
export type Head = Static<typeof Head>;

const expert = Type.String({ minLength: 1, maxLength: 64, description: "name of an expert or ID of a head" });
const feedbackFields = {
  state: Type.Optional(state),
  messages: Type.Optional(messages),
  route: nullable(
    Type.String({ minLength: 1, maxLength: 64, description: "the correct result; null: none of the routes applies" }),
  ),
  decided: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "the original choice; if absent, the text is decided again",
    }),
  ),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
};
const recalibrate = Type.Optional(
  Type.Boolean({ description: "refit the calibration with 100 rows or more; the weights stay, so no choice changes" }),
);

export const FeedbackRequest = Type.Union(
  [
    Type.Object(
      { expert, ...feedbackFields, recalibrate },
      { title: "Feedback", additionalProperties: false, ...exactlyOne },
    ),
    strictObject(
      {
        expert: Type.Optional(expert),
        items: Type.Array(
          Type.Object(
            { expert: Type.Optional(expert), ...feedbackFields },
            { title: "FeedbackItem", additionalProperties: false, ...exactlyOne },
          ),
          { minItems: 1, maxItems: FEEDBACK_ITEMS_MAX, description: "all rows are about one expert" },
        ),
        recalibrate,
      },
      { title: "FeedbackBatch" },
    ),
  ],
  {
    title: "FeedbackRequest",
    examples: [{ expert: "helpdesk_acme", state: "I cannot log in", route: "reset_password" }],
  },
);

export const FeedbackAnswer = strictObject(
  {
    accepted: count,
    head_id: nullable(Type.String({ description: "null for a shipped expert" })),
    feedback: strictObject({
      n: Type.Integer({ minimum: 0, description: "rows of the last 90 days" }),
      accuracy: nullable(share),
      ece: nullable(share),
      drift: nullable(
        Type.Number({
          description: "accuracy in the head's report minus the accuracy here: positive means it has become worse",
        }),
      ),
    }),
    recalibration: Type.Optional(
      strictObject({
        kept: Type.Boolean(),
        revision: Type.Integer({ minimum: 1 }),
        rows: count,
        nll: Type.Optional(strictObject({ before: Type.Number(), after: Type.Number() })),
        ece: Type.Optional(strictObject({ before: Type.Number(), after: Type.Number() })),
      }),
    ),
  },
  { title: "FeedbackAnswer" },
);
