/** Reads labeled texts and decides them, for `calibrate` and `check`. */
import type { Command } from "commander";
import type { DecisionAddress } from "../deciding/address.ts";
import { createLineDecider } from "../deciding/decide-line.ts";
import type { DecisionSettings } from "../deciding/wires.ts";
import { decideRows } from "../measure/decide-rows.ts";
import type { JudgedRow } from "../measure/figures.ts";
import { readLabeledRows, type LabeledRow } from "../measure/labeled-rows.ts";
import type { AnsweredText } from "../measure/lock.ts";
import { addressFor, usageError, type AddressOptions, type CostOptions, type ToolContext } from "./decision-options.ts";

export interface DecidedFile {
  readonly address: DecisionAddress;
  readonly settings: DecisionSettings;
  readonly rows: readonly JudgedRow[];
  readonly answered: readonly AnsweredText[];
  readonly data: { readonly sha256: string; readonly rows: number };
  readonly costMicro: number;
}

interface LabeledOptions extends AddressOptions, CostOptions {
  readonly data: string;
  readonly settings: DecisionSettings;
}

export async function decideLabeled(
  command: Command,
  context: ToolContext,
  options: LabeledOptions,
): Promise<DecidedFile> {
  const {
    rows: labeled,
    sha256,
    issues,
  } = await readLabeledRows(options.data).catch((error: unknown) =>
    usageError(
      command,
      `Cannot read ${options.data}: ${error instanceof Error && "code" in error ? String(error.code) : "unknown error"}.`,
    ),
  );
  if (issues.length > 0) {
    const lines = issues.map(({ line, message }) => `\n  line ${line}: ${message}`).join("");
    usageError(command, `${options.data} has ${issues.length} issues.${lines}`);
  }
  const settings = withLabels(options.settings, labeled);
  const address = await addressFor(command, context, options);
  const decider = createLineDecider({ address, api: settings.api, signal: new AbortController().signal });
  const { rows, costMicro } = await decideRows(labeled, decider, {
    settings,
    concurrency: options.concurrency,
    maxCostMicro: options.maxCostMicro ?? null,
    priceMicro: address.priceMicro ?? 0,
  });
  const answered = rows.map((row, index) => ({ text: labeled[index].judged, row }));
  return { address, settings, rows, answered, data: { sha256, rows: rows.length }, costMicro };
}

/** The compatible APIs have no predefined routes, so without `--options` the labels of the data are the routes. */
function withLabels(settings: DecisionSettings, labeled: readonly LabeledRow[]): DecisionSettings {
  if (settings.api === "route" || settings.labels !== null) return settings;
  const labels = new Set(labeled.flatMap(({ label }) => label ?? []));
  return { ...settings, labels: [...labels].toSorted((a, b) => (a < b ? -1 : 1)) };
}
