/** Model prices from `PANEL_PRICES`, a JSON object by model. Workers use them for the cost cap. */
import type { PanelFrame } from "@triptych/contracts";
import { ConfigError } from "@triptych/config";
import { Type } from "typebox";
import { Value } from "typebox/value";

export type Prices = NonNullable<Extract<PanelFrame, { readonly t: "assign" }>["prices"]>;

const MODELS_MAX = 200;
const amount = Type.Number({ minimum: 0, maximum: 1e12 });
const Table = Type.Record(
  Type.String({ minLength: 1, maxLength: 200 }),
  Type.Object({ input: amount, cached: Type.Optional(amount), output: amount }, { additionalProperties: false }),
  { maxProperties: MODELS_MAX },
);

export const PRICES_FORM = `a JSON object of at most ${MODELS_MAX} models, {"model": {"input": 1250000, "cached": 125000, "output": 10000000}}, in micro-euros per million tokens`;

/** Cached input defaults to the price of input. Throws `ConfigError`. */
export function readPrices(text: string | undefined): Prices {
  const table: unknown = text === undefined ? {} : parsed(text);
  if (!Value.Check(Table, table)) throw new ConfigError([`PANEL_PRICES: ${PRICES_FORM}`]);
  return Object.fromEntries(
    Object.entries(table).map(([model, { input, cached = input, output }]) => [model, { input, cached, output }]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
