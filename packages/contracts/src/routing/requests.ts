import { Type, type TProperties, type TSchema } from "typebox";
import {
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
  description: `the text of the last \`user\` message is the state; earlier messages are context with a low weight, later ones are ignored; together at most ${MESSAGES_CHARACTERS_MAX} characters`,
});

const optionText = Type.String({ maxLength: OPTION_TEXT_MAX });
const OptionEntry = strictObject({
  description: Type.Optional(nullable(optionText)),
  parameters: Type.Optional(
    Type.Array(optionText, { maxItems: OPTION_PARAMETERS_MAX, description: "parameter names of a tool" }),
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
      "a list restricts the expert to these routes; a map defines custom routes, decided without training: label to description, to null, or to `{description, parameters, examples}`",
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

export const DecisionRequest = Type.Object(
  { ...judged, ...decidedFields },
  {
    title: "DecisionRequest",
    additionalProperties: false,
    ...exactlyOne,
    examples: [
      { state: "What is the weather in Paris tomorrow?" },
      { state: "Refund me", options: ["chat", "escalate"] },
    ],
  },
);

export const JudgementRequest = Type.Object(judged, {
  title: "JudgementRequest",
  additionalProperties: false,
  ...exactlyOne,
  examples: [{ state: "I want to talk to a person, not to a machine." }],
});
