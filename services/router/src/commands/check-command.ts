/** `triptych router check`: checks whether the figures of a lock file still hold, for scripts and CI. */
import { addJsonOption, printResult } from "@triptych/terminal";
import { Command } from "commander";
import { compare, type Finding } from "../measure/compare.ts";
import { figuresAt } from "../measure/figures.ts";
import { answersDigest, readLock, type Lock } from "../measure/lock.ts";
import { identifyModel } from "../measure/model-identity.ts";
import { findingTable } from "../measure/report-text.ts";
import { decideLabeled, type DecidedFile } from "./decide-labeled.ts";
import {
  addAddressOptions,
  addCostOptions,
  usageError,
  type AddressOptions,
  type CostOptions,
  type ToolContext,
} from "./decision-options.ts";

interface CheckOptions extends AddressOptions, CostOptions {
  readonly lock: string;
  readonly data: string;
}

export function checkCommand(context: ToolContext): Command {
  const command = new Command("check")
    .description("check error rate, coverage and calibration against a lock file; exit 1 if they are worse")
    .requiredOption("--lock <file>", "lock file of `triptych router calibrate`")
    .requiredOption("--data <file>", "JSONL of {text, route}; a null route means that none applies");
  return addJsonOption(addCostOptions(addAddressOptions(command)))
    .exitOverride()
    .action(() => run(command, context, command.opts<CheckOptions>()));
}

async function run(command: Command, context: ToolContext, options: CheckOptions): Promise<void> {
  const lock = await readLock(options.lock).catch((error: unknown) =>
    usageError(command, error instanceof Error ? error.message : String(error)),
  );
  const settings = { api: lock.api, expert: lock.expert, labels: lock.options, minConf: null };
  const decided = await decideLabeled(command, context, { ...options, settings });
  const figures = figuresAt(decided.rows, lock.threshold);
  const changed = await changesSince(lock, decided);
  const findings = compare(lock, figures, { isSameAnswers: !changed.answers });
  const holds = findings.every((finding) => finding.holds);
  const parts = Object.entries(changed).map(([part, isChanged]) => `${part} ${isChanged ? "changed" : "unchanged"}`);
  printResult(command, context.stdout, {
    json: { holds, changed, findings, figures, cost_micro: decided.costMicro },
    text: () => `${findingTable(findings, context.stdout.columns ?? 100)}\n\n${parts.join(", ")}`,
  });
  if (!holds) throw new Error(`Check failed: ${brokenText(findings)}.`);
}

interface Changed {
  readonly data: boolean;
  readonly model: boolean;
  readonly answers: boolean;
}

async function changesSince(lock: Lock, { address, rows, settings, data, answered }: DecidedFile): Promise<Changed> {
  const model = await identifyModel(address, { rows, expert: settings.expert });
  return {
    data: data.sha256 !== lock.data.sha256,
    model: model.sha256 !== lock.model.sha256,
    answers: answersDigest(answered) !== lock.answers.sha256,
  };
}

function brokenText(findings: readonly Finding[]): string {
  return findings
    .filter(({ holds }) => !holds)
    .map(({ measure }) => measure)
    .join(", ");
}
