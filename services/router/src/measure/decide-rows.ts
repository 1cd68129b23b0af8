/** Decides labeled rows, in order. */
import { randomBytes } from "node:crypto";
import { decisionErrorText, type LineDecider } from "../deciding/decide-line.ts";
import { inOrder } from "../deciding/in-order.ts";
import { choiceIn, requestFor, type DecisionSettings } from "../deciding/wires.ts";
import type { JudgedRow } from "./figures.ts";
import type { LabeledRow } from "./labeled-rows.ts";

export interface DecideRowsOptions {
  readonly settings: DecisionSettings;
  readonly concurrency: number;
  readonly maxCostMicro: number | null;
  readonly priceMicro: number;
}

export interface DecidedRows {
  readonly rows: readonly JudgedRow[];
  readonly costMicro: number;
}

export async function decideRows(
  labeled: readonly LabeledRow[],
  decider: LineDecider,
  { settings, concurrency, maxCostMicro, priceMicro }: DecideRowsOptions,
): Promise<DecidedRows> {
  if (maxCostMicro !== null && labeled.length * priceMicro > maxCostMicro)
    throw new Error(
      `${labeled.length} decisions cost ${labeled.length * priceMicro} micro-euros, more than --max-cost-micro.`,
    );
  // Random, so that a repeated measurement does not get replayed answers of an earlier model. The key only protects
  // retries.
  const run = randomBytes(12).toString("hex");
  const rows: JudgedRow[] = [];
  let costMicro = 0;
  await inOrder(numbered(labeled), {
    concurrency,
    async work({ number, judged }) {
      try {
        return await decider.decide(requestFor(judged, settings), `measure-${run}-${number}`);
      } catch (error) {
        throw new Error(`Row ${number}: ${decisionErrorText(error)}`, { cause: error });
      }
    },
    async onResult({ body, costMicro: cost }, { label }) {
      rows.push({ ...choiceIn(settings.api, body), label });
      costMicro += cost;
    },
  });
  return { rows, costMicro };
}

async function* numbered(rows: readonly LabeledRow[]) {
  for (const [index, row] of rows.entries()) yield { number: index + 1, ...row };
}
