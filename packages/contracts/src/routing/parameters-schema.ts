/** Parameters of a tool as a JSON Schema, as in the tool definitions of chat APIs. Other keywords are ignored. */
import { Type, type TSchema } from "typebox";
import {
  OPTION_PARAMETERS_MAX,
  OPTION_TEXT_MAX,
  PARAMETER_DEPTH_MAX,
  PARAMETER_NAME_MAX,
  PARAMETER_VALUES_MAX,
} from "./limits.ts";

export const PARAMETER_TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;

const TypeName = Type.Enum([...PARAMETER_TYPES]);
const name = Type.String({ minLength: 1, maxLength: PARAMETER_NAME_MAX });
const required = Type.Array(name, {
  maxItems: OPTION_PARAMETERS_MAX,
  uniqueItems: true,
  description: "names among `properties`; a required value that the text does not give counts against a call",
});

function propertiesOf(depth: number): TSchema {
  return Type.Record(name, propertyAt(depth), { maxProperties: OPTION_PARAMETERS_MAX, propertyNames: name });
}

const keywords = {
  type: Type.Optional(Type.Union([TypeName, Type.Array(TypeName, { minItems: 1, maxItems: PARAMETER_TYPES.length })])),
  description: Type.Optional(Type.String({ maxLength: OPTION_TEXT_MAX })),
  format: Type.Optional(Type.String({ maxLength: PARAMETER_NAME_MAX })),
  enum: Type.Optional(
    Type.Array(Type.Union([Type.String({ maxLength: OPTION_TEXT_MAX }), Type.Number(), Type.Boolean(), Type.Null()]), {
      minItems: 1,
      maxItems: PARAMETER_VALUES_MAX,
    }),
  ),
};
const IGNORED = { description: "further JSON Schema keywords are allowed and ignored" };

/** Deeper objects are parameters without further structure. */
function propertyAt(depth: number): TSchema {
  if (depth === 1) return Type.Object(keywords, IGNORED);
  const properties = Type.Optional(propertiesOf(depth - 1));
  return Type.Object({ ...keywords, properties, required: Type.Optional(required) }, IGNORED);
}

export const ParametersSchema = Type.Object(
  {
    type: Type.Literal("object"),
    properties: Type.Optional(propertiesOf(PARAMETER_DEPTH_MAX)),
    required: Type.Optional(required),
  },
  {
    title: "ParametersSchema",
    description: "JSON Schema of the parameters of a tool; further keywords are allowed and ignored",
    examples: [
      {
        type: "object",
        properties: {
          city: { type: "string", description: "where" },
          unit: { type: "string", enum: ["celsius", "fahrenheit"] },
        },
        required: ["city"],
      },
    ],
  },
);
