/** `triptych router calibrate`: finds the confidence threshold for a target error rate, measured on labeled texts. */
import { writeFile } from "node:fs/promises";
import { addJsonOption, printResult } from "@triptych/terminal";
import { MAX_ERROR_MAX, MAX_ERROR_MIN } from "@triptych/contracts";
import { rowsToProve, SAMPLED_DELTA } from "@triptych/decisions";
import { Command } from "commander";
import type { Tolerance } from "../measure/compare.ts";
import { errorInterval, figuresAt, thresholdInterval, thresholdOf, type Figures } from "../measure/figures.ts";
import { answersDigest, writeLock, type Lock } from "../measure/lock.ts";
import { identifyModel } from "../measure/model-identity.ts";
import { reliabilitySvg } from "../measure/reliability-svg.ts";
import { percent, routeTable } from "../measure/report-text.ts";
import { decideLabeled, type DecidedFile } from "./decide-labeled.ts";
import {
  addAddressOptions,
  addCostOptions,
  addDecisionOptions,
  numberIn,
  settingsOf,
  type AddressOptions,
  type CostOptions,
  type DecisionOptions,
  type ToolContext,
} from "./decision-options.ts";

interface CalibrateOptions extends AddressOptions, CostOptions, DecisionOptions {
  readonly data: string;
  readonly maxError: number;
  readonly out?: string;
  readonly svg?: string;
  readonly tolerance: number;
}

export function calibrateCommand(context: ToolContext): Command {
  const command = new Command("calibrate")
    .description("find the confidence threshold that achieves an error rate, from labeled texts")
    .requiredOption("--data <file>", "JSONL of {text, route}; a null route means that none applies")
    .requiredOption(
      "--max-error <share>",
      "target error rate among answered texts, such as 0.02",
      numberIn(MAX_ERROR_MIN, MAX_ERROR_MAX),
    )
    .option("--out <file>", "write a lock file for `triptych router check`")
    .option("--svg <file>", "write a reliability diagram")
    .option("--tolerance <share>", "change that `check` tolerates beyond random variation", numberIn(0, 0.5), 0);
  addCostOptions(addDecisionOptions(addAddressOptions(command)));
  return addJsonOption(command)
    .exitOverride()
    .action(() => run(command, context, command.opts<CalibrateOptions>()));
}

async function run(command: Command, context: ToolContext, options: CalibrateOptions): Promise<void> {
  const settings = settingsOf(command, options);
  const decided = await decideLabeled(command, context, { ...options, settings });
  const threshold = thresholdOf(decided.rows, options.maxError);
  const figures = figuresAt(decided.rows, threshold ?? Infinity);
  if (options.svg !== undefined) {
    const title = `Reliability of ${options.expert ?? decided.address.url}`;
    const { ece } = figures;
    await writeFile(options.svg, reliabilitySvg({ title, rows: decided.rows, threshold, ece }));
  }
  if (threshold === null) throw new Error(notProven(figures, options.maxError));
  const lock = await lockOf(decided, { threshold, figures, options });
  if (options.out !== undefined) await writeLock(options.out, lock);
  printResult(command, context.stdout, {
    json: { ...lock, cost_micro: decided.costMicro },
    text: () => [summaryText(lock), "", routeTable(figures, context.stdout.columns ?? 100)].join("\n"),
  });
}

interface Calibrated {
  readonly threshold: number;
  readonly figures: Figures;
  readonly options: Pick<CalibrateOptions, "maxError" | "tolerance">;
}

async function lockOf(decided: DecidedFile, { threshold, figures, options }: Calibrated): Promise<Lock> {
  const { settings, address, rows, data } = decided;
  const { api, expert, labels } = settings;
  const tolerance: Tolerance = { error_rate: options.tolerance, coverage: options.tolerance, ece: options.tolerance };
  return {
    object: "calibration_lock",
    version: 1,
    api,
    expert,
    options: labels,
    max_error: options.maxError,
    threshold,
    threshold_ci95: thresholdInterval(rows, options.maxError),
    error_ci95: errorInterval(figures),
    figures,
    tolerance,
    data,
    model: await identifyModel(address, { rows, expert }),
    answers: { sha256: answersDigest(decided.answered) },
  };
}

function summaryText({ threshold, threshold_ci95, error_ci95, figures, max_error }: Lock): string {
  const [low, high] = threshold_ci95.map((value) => (value === null ? "not proven" : value.toFixed(4)));
  const { answered, rows, wrong, coverage, error_rate, ece } = figures;
  return [
    `threshold   ${threshold.toFixed(4)}  (95 %: ${low} to ${high})`,
    `error rate  ${percent(error_rate)}, ${wrong} of ${answered} answers  (95 %: ${percent(error_ci95[0])} to ${percent(error_ci95[1])}; target: ${percent(max_error)})`,
    `coverage    ${percent(coverage)}, ${answered} of ${rows} rows`,
    `ECE         ${percent(ece)}`,
    "",
    `Send "min_conf": ${threshold} with each request.`,
  ].join("\n");
}

function notProven({ rows, ece }: Figures, maxError: number): string {
  const needed = rowsToProve(maxError, SAMPLED_DELTA);
  return `${rows} rows prove no threshold for an error rate of ${percent(maxError)} (ECE ${percent(ece)}). A proof needs at least ${needed} confident answers without an error. Add rows, or allow more errors.`;
}
