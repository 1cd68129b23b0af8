import { Type, type TProperties, type TSchema } from "typebox";
import {
  ECONOMY_PRICE_MICRO_MAX,
  ECONOMY_TOKENS_MAX,
  EXPLAIN_DEFAULT,
  EXPLAIN_MAX,
  MAX_ERROR_MIN,
  MAX_ERROR_MAX,
  MESSAGES_CHARACTERS_MAX,
  MESSAGES_MAX,
  MODEL_MAX,
  MODEL_PREFIX,
  OPTION_EXAMPLES_MAX,
  OPTION_PARAMETERS_MAX,
  OPTION_TEXT_MAX,
  OPTIONS_MAX,
  ROLES,
  ROUTE_LABEL_MAX,
  STATE_MAX,
} from "./limits.ts";
import { ParametersSchema } from "./parameters-schema.ts";

export const strictObject = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Without control characters, and without white space at its ends. */
export const ROUTE_LABEL_PATTERN = "^(?!\\s)[^\\u0000-\\u001f\\u007f-\\u009f]+(?<!\\s)$";

export const RouteLabel = Type.String({
  minLength: 1,
  maxLength: ROUTE_LABEL_MAX,
  pattern: ROUTE_LABEL_PATTERN,
  description: "case-sensitive; no control characters, no white space at its ends",
});

export const state = Type.String({
  minLength: 1,
  maxLength: STATE_MAX,
  pattern: "\\S",
  description: "the text to decide; exactly one of `state` and `messages`",
  examples: ["What is the weather in Paris tomorrow?"],
});

export const Message = Type.Object(
  {
    role: Type.Enum([...ROLES]),
    content: nullable(
      Type.Union([
        Type.String(),
        Type.Array(Type.Object({ type: Type.String() }), {
          description:
            "texts (`text`, `input_text`, `output_text`) and JSON (`json`, `input_json` with `value`, `json` or `data`); no images",
        }),
      ]),
    ),
  },
  {
    title: "Message",
    description: "in chat format; further fields (`name`, `tool_calls`, …) are allowed and ignored",
  },
);

export const messages = Type.Array(Message, {
  minItems: 1,
  maxItems: MESSAGES_MAX,
  description: `the text of the last \`user\` message is the state. Earlier messages are context with a low weight; later ones are ignored. All together have at most ${MESSAGES_CHARACTERS_MAX} characters`,
});

const optionText = Type.String({ maxLength: OPTION_TEXT_MAX });
const OptionEntry = strictObject({
  description: Type.Optional(nullable(optionText)),
  parameters: Type.Optional(
    Type.Union([
      Type.Array(optionText, { maxItems: OPTION_PARAMETERS_MAX, description: "parameter names of a tool" }),
      ParametersSchema,
    ]),
  ),
  examples: Type.Optional(
    Type.Array(optionText, { maxItems: OPTION_EXAMPLES_MAX, description: "example texts for this option" }),
  ),
});

const options = Type.Union(
  [
    Type.Array(RouteLabel, { minItems: 1, maxItems: OPTIONS_MAX, uniqueItems: true }),
    Type.Record(RouteLabel, Type.Union([optionText, Type.Null(), OptionEntry]), {
      minProperties: 1,
      maxProperties: OPTIONS_MAX,
      propertyNames: RouteLabel,
    }),
  ],
  {
    description:
      "a list restricts the expert to these routes; a map defines custom routes, decided without training: label to description, to null, or to `{description, parameters, examples}`; `parameters` is a list of names or a JSON Schema",
    examples: [["get_weather", "web_search"], { refund: "the customer wants money back", invoice: null }],
  },
);

const explain = Type.Union([Type.Boolean(), Type.Integer({ minimum: 1, maximum: EXPLAIN_MAX })], {
  description: `adds \`explanation\` with at most this many pieces of evidence; true means ${EXPLAIN_DEFAULT}`,
});
const model = Type.String({
  maxLength: MODEL_MAX,
  description: `informational; \`${MODEL_PREFIX}<expert>\` selects an expert as \`expert\` does`,
});

const judged = {
  state: Type.Optional(state),
  messages: Type.Optional(messages),
  explain: Type.Optional(explain),
  model: Type.Optional(model),
};
export const decidedFields = {
  options: Type.Optional(options),
  expert: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "name of an expert or ID of a head (`hed_…`); cannot be combined with a map in `options`",
    }),
  ),
  min_conf: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "minimum `confidence`; overrides every floor of the server and of the head",
    }),
  ),
  max_error: Type.Optional(
    Type.Number({
      minimum: MAX_ERROR_MIN,
      maximum: MAX_ERROR_MAX,
      description: "upper bound for the error rate of decisions that are not delegated",
    }),
  ),
};

export const exactlyOne = { oneOf: [{ required: ["state"] }, { required: ["messages"] }] };

const tokenCount = (description: string) => Type.Integer({ minimum: 0, maximum: ECONOMY_TOKENS_MAX, description });
const microEuro = (description: string) => Type.Integer({ minimum: 0, maximum: ECONOMY_PRICE_MICRO_MAX, description });

const Price = strictObject(
  {
    input: microEuro("per million input tokens"),
    cached_input: Type.Optional(microEuro("per million cached tokens of the incumbent; default `input`")),
    output: microEuro("per million output tokens"),
  },
  { title: "Price", description: "in micro-euros per million tokens" },
);

export const EconomyRequest = strictObject(
  {
    incumbent: Type.Optional(
      Type.String({ ...RouteLabel, description: "the route whose cache holds `cached_tokens`; it wins ties" }),
    ),
    cached_tokens: Type.Optional(
      tokenCount("tokens that the incumbent has cached; any other route reads them as new input. Default 0"),
    ),
    new_tokens: tokenCount("further input tokens of this request"),
    output_tokens: tokenCount("expected output tokens"),
    error_cost_micro: Type.Optional(microEuro("cost of a wrong route in micro-euros; default 0")),
    prices: Type.Record(RouteLabel, Price, {
      minProperties: 1,
      maxProperties: OPTIONS_MAX,
      propertyNames: RouteLabel,
      description: "prices by route; routes without a price are not compared",
    }),
  },
  {
    title: "EconomyRequest",
    description:
      "adds `economy` to the response: the route with the lowest expected cost. Every label must be a considered route. The rest of the response is unchanged",
  },
);

const labelExamples = [
  { state: "What is the weather in Paris tomorrow?" },
  { state: "Refund me", options: ["chat", "escalate"] },
];

export const DecisionRequest = Type.Object(
  { ...judged, ...decidedFields, economy: Type.Optional(EconomyRequest) },
  {
    title: "DecisionRequest",
    additionalProperties: false,
    ...exactlyOne,
    examples: [
      ...labelExamples,
      {
        state: "Summarize this contract",
        options: { small_model: "short and simple texts", large_model: "long or difficult texts" },
        economy: {
          incumbent: "large_model",
          cached_tokens: 40_000,
          new_tokens: 500,
          output_tokens: 300,
          error_cost_micro: 20_000,
          prices: {
            small_model: { input: 250_000, output: 1_000_000 },
            large_model: { input: 2_500_000, cached_input: 250_000, output: 10_000_000 },
          },
        },
      },
    ],
  },
);

export const AssessmentRequest = Type.Object(
  { ...judged, ...decidedFields },
  { title: "AssessmentRequest", additionalProperties: false, ...exactlyOne, examples: labelExamples },
);

export const JudgementRequest = Type.Object(judged, {
  title: "JudgementRequest",
  additionalProperties: false,
  ...exactlyOne,
  examples: [{ state: "I want to talk to a person, not to a machine." }],
});
