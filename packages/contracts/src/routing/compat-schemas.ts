/**
 * Schemas of the two third-party formats. They accept unknown fields where the originals do: clients may be newer than
 * this server.
 */
import { Type } from "typebox";
import {
  CONFIDENCE_FORMULAS,
  LEVELS_MAX,
  LEVELS_MIN,
  MESSAGES_CHARACTERS_MAX,
  MODEL_MAX,
  OPTIONS_MAX,
  QUESTION_NAME_MAX,
  QUESTIONS_MAX,
  REASONS,
  BASES,
} from "./limits.ts";
import { Explanation } from "./responses.ts";
import { strictObject, decidedFields, nullable } from "./requests.ts";

/** Text, or JSON that is flattened to text deterministically. */
const structured = (description: string) =>
  nullable(
    Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
      description,
    }),
  );
const instructions = structured("the question; text or JSON");
const stateText = Type.String({ pattern: "\\S", maxLength: MESSAGES_CHARACTERS_MAX });
const label = Type.String({ minLength: 1, maxLength: QUESTION_NAME_MAX });

const { expert, min_conf, max_error } = decidedFields;
const extensions = {
  expert,
  min_conf,
  max_error,
  explain: Type.Optional(Type.Union([Type.Boolean(), Type.Integer({ minimum: 1, maximum: 32 })])),
  confidence_formula: Type.Optional(
    Type.Enum([...CONFIDENCE_FORMULAS], {
      description: "how `confidence` is derived from the probabilities; default `chance`",
    }),
  ),
};
const model = Type.Optional(
  Type.String({ maxLength: MODEL_MAX, description: "any name is accepted; the response contains the actual model" }),
);

const NoulQuestion = strictObject({
  type: Type.Literal("noul"),
  instructions: Type.Optional(instructions),
  criteria: Type.Optional(
    nullable(
      strictObject({
        true: Type.Optional(structured("when to answer yes")),
        false: Type.Optional(structured("when to answer no")),
      }),
    ),
  ),
});
const ChoiceQuestion = strictObject({
  type: Type.Literal("choice"),
  instructions: Type.Optional(instructions),
  criteria: Type.Record(label, structured("meaning of the label"), {
    minProperties: 1,
    maxProperties: OPTIONS_MAX,
    propertyNames: label,
  }),
});
const ScoreQuestion = strictObject({
  type: Type.Literal("score"),
  instructions: Type.Optional(instructions),
  criteria: Type.Array(structured("meaning of the level"), { minItems: LEVELS_MIN, maxItems: LEVELS_MAX }),
});

export const SystemOneRequest = Type.Object(
  {
    model,
    state: Type.Union([stateText, Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
      description: 'text, JSON, or parts `{type:"text",text}`, `{type:"json",value}`',
    }),
    questions: Type.Record(label, Type.Union([NoulQuestion, ChoiceQuestion, ScoreQuestion]), {
      minProperties: 1,
      maxProperties: QUESTIONS_MAX,
      propertyNames: label,
    }),
    ...extensions,
  },
  {
    title: "SystemOneRequest",
    description: "unknown top-level fields are ignored and listed in `warnings`",
    examples: [
      {
        state: "I was charged twice. Please help.",
        questions: { billing: { type: "noul", instructions: "Is this about billing?" } },
      },
    ],
  },
);

const questionName = Type.Optional(nullable(Type.String({ maxLength: QUESTION_NAME_MAX })));
const PredicateQuestion = strictObject({ type: Type.Literal("predicate"), name: questionName, instructions });
const ChoicesQuestion = strictObject({
  type: Type.Literal("choice"),
  name: questionName,
  instructions: Type.Optional(instructions),
  choices: Type.Array(
    strictObject({
      value: Type.Union([label, Type.Boolean()], { description: '`true` and "true" are different values' }),
      description: Type.Optional(structured("meaning of the choice")),
    }),
    { minItems: 2, maxItems: OPTIONS_MAX },
  ),
});
const LevelsQuestion = strictObject({
  type: Type.Literal("score"),
  name: questionName,
  instructions: Type.Optional(instructions),
  levels: Type.Array(strictObject({ label, description: Type.Optional(structured("meaning of the level")) }), {
    minItems: LEVELS_MIN,
    maxItems: LEVELS_MAX,
  }),
});

export const DecisionsRequest = Type.Object(
  {
    model,
    input: Type.Union([stateText, Type.Array(Type.Object({}), { minItems: 1 })], {
      description: "text, or messages, function calls and their outputs",
    }),
    questions: Type.Array(Type.Union([PredicateQuestion, ChoicesQuestion, LevelsQuestion]), {
      minItems: 1,
      maxItems: QUESTIONS_MAX,
    }),
    ...extensions,
  },
  {
    title: "DecisionsRequest",
    description: "unknown top-level fields are ignored and listed in `warnings`",
    examples: [
      {
        model: "triptych-1",
        input: "Cancel my flight",
        questions: [
          {
            type: "choice",
            name: "desk",
            instructions: "Who handles this?",
            choices: [{ value: "flights" }, { value: "hotels" }],
          },
        ],
      },
    ],
  },
);

const probability = Type.Number({ minimum: 0, maximum: 1 });
const extras = {
  p_correct: probability,
  abstain: Type.Boolean(),
  reason: Type.Enum([...REASONS]),
  basis: Type.Enum([...BASES]),
  set: Type.Optional(Type.Array(Type.String())),
  explanation: Type.Optional(Explanation),
};
const byName = Type.Record(Type.String(), probability);
const warnings = Type.Optional(Type.Array(Type.String(), { description: "unknown top-level fields" }));

export const SystemOneAnswer = strictObject(
  {
    model: Type.String(),
    answers: Type.Record(
      Type.String(),
      Type.Union([
        strictObject({ type: Type.Literal("noul"), noul: probability, ...extras }),
        strictObject({
          type: Type.Literal("choice"),
          choice: Type.String(),
          confidence: probability,
          probabilities: byName,
          ...extras,
        }),
        strictObject({
          type: Type.Literal("score"),
          score: Type.Number({ minimum: 0, maximum: LEVELS_MAX - 1, description: "weighted mean of the indices" }),
          confidence: probability,
          legend: Type.Record(Type.String(), Type.Unknown()),
          probabilities: byName,
          ...extras,
        }),
      ]),
    ),
    usage: strictObject({ input_tokens: Type.Integer({ minimum: 0 }), output_tokens: Type.Literal(0) }),
    warnings,
  },
  { title: "SystemOneAnswer" },
);

const answerName = nullable(Type.String());
const zero = Type.Literal(0);
export const DecisionsAnswer = strictObject(
  {
    model: Type.String(),
    answers: Type.Array(
      Type.Union([
        strictObject({ type: Type.Literal("predicate"), name: answerName, probability, ...extras }),
        strictObject({
          type: Type.Literal("choice"),
          name: answerName,
          choice: Type.Union([Type.String(), Type.Boolean()]),
          confidence: probability,
          probabilities: Type.Array(strictObject({ value: Type.Union([Type.String(), Type.Boolean()]), probability })),
          ...extras,
        }),
        strictObject({
          type: Type.Literal("score"),
          name: answerName,
          score: Type.Number({ minimum: 0, maximum: LEVELS_MAX - 1 }),
          confidence: probability,
          probabilities: Type.Array(
            strictObject({ value: Type.Integer({ minimum: 0 }), label: Type.String(), probability }),
          ),
          ...extras,
        }),
      ]),
      { description: "in the order of the questions" },
    ),
    usage: strictObject({
      input_tokens: Type.Integer({ minimum: 0 }),
      input_tokens_details: strictObject({ cached_tokens: zero, cache_write_tokens: zero }),
      output_tokens: zero,
      output_tokens_details: strictObject({ reasoning_tokens: zero }),
      total_tokens: Type.Integer({ minimum: 0 }),
    }),
    warnings,
  },
  { title: "DecisionsAnswer" },
);

/** Validation issues in the format of third-party clients. */
export const CompatErrors = strictObject(
  {
    detail: Type.Array(
      strictObject({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
        msg: Type.String(),
        type: Type.String(),
      }),
    ),
    error: strictObject({ message: Type.String(), type: Type.String(), code: Type.String() }),
    code: Type.Literal("validation_failed"),
    status: Type.Literal(422),
    request_id: Type.String(),
  },
  { title: "CompatErrors" },
);

export const Models = strictObject(
  {
    models: Type.Array(
      strictObject({ name: Type.String(), description: Type.String(), release_date: Type.String({ format: "date" }) }),
    ),
    object: Type.Literal("list"),
    data: Type.Array(
      strictObject({
        id: Type.String(),
        object: Type.Literal("model"),
        created: Type.Integer(),
        owned_by: Type.Literal("triptych"),
      }),
    ),
  },
  { title: "Models", description: "both formats in one body" },
);
