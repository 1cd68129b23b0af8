/** `triptych router batch`: decides every line of a file once. */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { acquireFileLock, FileLockHeldError } from "@triptych/storage";
import { addJsonOption, printResult } from "@triptych/terminal";
import { Command } from "commander";
import { checkInput, createLineReader, INPUT_ISSUES_MAX, type InputCheck } from "../batch/input.ts";
import { createProgress, euros } from "../batch/progress.ts";
import { ChangedInputError, runBatch, type BatchSummary } from "../batch/run-batch.ts";
import { createLineDecider } from "../deciding/decide-line.ts";
import {
  addAddressOptions,
  addCostOptions,
  addDecisionOptions,
  addressFor,
  numberIn,
  settingsOf,
  usageError,
  type AddressOptions,
  type CostOptions,
  type DecisionOptions,
  type ToolContext,
} from "./decision-options.ts";

interface BatchCommandOptions extends AddressOptions, CostOptions, DecisionOptions {
  readonly in: string;
  readonly out: string;
  readonly minConf?: number;
  readonly run: string;
}

export function batchCommand(context: ToolContext): Command {
  const command = new Command("batch")
    .description("decide every line of an NDJSON file, in order; after an interruption, run it again to continue")
    .requiredOption("--in <file>", "input; each line is a text, or a request as an object")
    .requiredOption("--out <file>", "output; each line is an answer, and existing lines are kept")
    .option("--min-conf <number>", "minimum confidence, for every line", numberIn(0, 1))
    .option("--run <name>", "name of the run; with another name, the same lines are decided and paid for again", "");
  addCostOptions(addDecisionOptions(addAddressOptions(command)));
  return addJsonOption(command)
    .exitOverride()
    .action(() => run(command, context, command.opts<BatchCommandOptions>()));
}

async function run(command: Command, context: ToolContext, options: BatchCommandOptions): Promise<void> {
  const { stdout, stderr } = context;
  const [input, output] = [resolve(options.in), resolve(options.out)];
  if (input === output) usageError(command, "Input and output must be different files.");
  const settings = { ...settingsOf(command, options), minConf: options.minConf ?? null };
  const reader = createLineReader(settings);
  const check = await checkInput(input, reader).catch((error: unknown) =>
    usageError(command, unreadable(input, error)),
  );
  if (check.issueCount > 0) usageError(command, issuesText(check));
  const address = await addressFor(command, context, options);
  await using _lock = await lockOutput(output);
  const progress = createProgress(stderr, check.lines, () => performance.now());
  const stop = new AbortController();
  const decider = createLineDecider({ address, api: settings.api, signal: stop.signal });
  let summary: BatchSummary;
  try {
    summary = await runBatch(
      {
        input,
        output,
        api: settings.api,
        run: options.run,
        concurrency: options.concurrency,
        maxCostMicro: options.maxCostMicro ?? null,
        priceMicro: address.priceMicro ?? 0,
      },
      { reader, decider, onProgress: progress.show },
    );
  } catch (error) {
    if (error instanceof ChangedInputError) usageError(command, `${error.message} Use another output file.`);
    throw error;
  } finally {
    progress.clear();
  }
  const { lines, earlier, replayed, costMicro, isComplete } = summary;
  printResult(command, stdout, {
    json: { lines, total: check.lines, earlier, replayed, cost_micro: costMicro, complete: isComplete },
    text: () =>
      `${lines} of ${check.lines} lines in ${options.out}, ${earlier} of them from earlier runs; cost ${euros(costMicro)}`,
  });
  if (!isComplete) throw new Error("Stopped at --max-cost-micro. Run again with a higher limit to continue.");
}

/** The lock file is removed with the lock; after a kill, it remains, but unlocked. */
async function lockOutput(output: string): Promise<AsyncDisposable> {
  try {
    const lock = await acquireFileLock(`${output}.lock`);
    return {
      async [Symbol.asyncDispose]() {
        await rm(lock.path, { force: true });
        await lock.release();
      },
    };
  } catch (error) {
    throw error instanceof FileLockHeldError ? new Error(`Another batch writes ${output}.`, { cause: error }) : error;
  }
}

function unreadable(input: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return `Cannot read ${input}: ${code}.`;
}

function issuesText({ issues, issueCount }: InputCheck): string {
  const listed = issues.map(
    ({ line, path, message }) => `\n  line ${line}${path === "" ? "" : ` ${path}`}: ${message}`,
  );
  const more = issueCount > INPUT_ISSUES_MAX ? `\n  and ${issueCount - INPUT_ISSUES_MAX} more` : "";
  return `The input has ${issueCount} issues. Nothing was written.${listed.join("")}${more}`;
}
