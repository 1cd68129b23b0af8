/**
 * `triptych router encoder …`: copies a sentence encoder into the data folder, and compares it with the bundled trunk.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { loadTrunk, openSentenceEncoder, readEncoderFiles, type SentenceEncoder } from "@triptych/decisions";
import { readConfig } from "@triptych/config";
import { addJsonOption, printResult, renderTable } from "@triptych/terminal";
import { median } from "@triptych/util";
import { Command } from "commander";
import { RouterConfig } from "../config.ts";
import { compareEncoders, type ComparedExample, type ComparedModel } from "../measure/compare-encoders.ts";
import { percent } from "../measure/report-text.ts";
import { readLabeledRows } from "../measure/labeled-rows.ts";
import { usageError } from "./decision-options.ts";
import { releasedTrunk, type CliContext } from "./head-commands.ts";

export interface EncoderContext extends CliContext {
  /** Module that runs the model; defaults to onnxruntime-node. */
  readonly runtime?: string;
}

export function encoderCommands(context: EncoderContext): Command {
  const encoder = new Command("encoder").description("sentence encoders for custom heads (ONNX)").exitOverride();
  const add = encoder
    .command("add")
    .description("check an encoder and copy its files into the data folder")
    .argument("<folder>", "folder with model.onnx and tokenizer.json");
  addJsonOption(add).action((folder: string) => addEncoder(add, context, folder));
  const compare = encoder
    .command("compare")
    .description("compare heads on an encoder with heads on the bundled trunk, cross-validated on your examples")
    .argument("<folder>", "folder with model.onnx and tokenizer.json")
    .requiredOption("--data <file>", "JSONL of {text, route}; a null route means that none applies");
  addJsonOption(compare).action((folder: string, { data }: { data: string }) =>
    compareEncoder(compare, context, { folder, data }),
  );
  return encoder;
}

const MEGABYTE = 1024 * 1024;

async function addEncoder(command: Command, context: EncoderContext, folder: string): Promise<void> {
  const { contents } = await readEncoderFiles(folder);
  await using encoder = await openSentenceEncoder(folder, context.runtime);
  const target = join(
    resolve(readConfig(RouterConfig, context.environment).TRIPTYCH_DATA),
    "encoders",
    basename(resolve(folder)),
  );
  for (const [path, bytes] of contents) {
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(target, path), bytes);
  }
  const facts = {
    sha256: encoder.sha256,
    bytes: [...contents.values()].reduce((sum, bytes) => sum + bytes.length, 0),
    dims: encoder.dims,
    tokenizer: encoder.tokenizer,
    pooling: encoder.pooling,
    ms_per_text: await millisecondsPerText(encoder),
    folder: target,
  };
  printResult(command, context.stdout, {
    json: facts,
    text: () =>
      [
        `identity   ${facts.sha256}`,
        `size       ${(facts.bytes / MEGABYTE).toFixed(1)} MB`,
        `dimensions ${facts.dims}`,
        `tokenizer  ${facts.tokenizer}`,
        `pooling    ${facts.pooling}`,
        `speed      ${facts.ms_per_text.toFixed(2)} ms per text of 60 characters`,
        "",
        `Start the router with ROUTER_TRUNK=onnx:${target}`,
      ].join("\n"),
  });
}

const TIMED_TEXT = "I would like my money back for the order that I made last week";
const TIMED_RUNS = 20;

async function millisecondsPerText(encoder: SentenceEncoder): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < TIMED_RUNS; run++) {
    const began = performance.now();
    await encoder.encode(TIMED_TEXT);
    times.push(performance.now() - began);
  }
  return median(times);
}

async function compareEncoder(
  command: Command,
  context: EncoderContext,
  { folder, data }: { readonly folder: string; readonly data: string },
): Promise<void> {
  const examples = await readExamples(command, data);
  await using encoder = await openSentenceEncoder(folder, context.runtime);
  const trunk = loadTrunk(await (context.trunkBytes ?? releasedTrunk)());
  const compared = await compareEncoders({ trunk, encoder }, examples);
  printResult(command, context.stdout, {
    json: compared,
    text: () => tableOf(compared, context.stdout.columns ?? 100),
  });
}

function tableOf(compared: readonly ComparedModel[], width: number): string {
  const rows = compared.map(({ model, accuracy, macro_f1, ece, us_per_decision: time }) => [
    model,
    percent(accuracy),
    percent(macro_f1),
    percent(ece),
    `${time.toFixed(0)} us`,
  ]);
  return renderTable({ heads: ["model", "accuracy", "macro-F1", "ECE", "per decision"], rows }, width);
}

const ROUTES_MIN = 2;
const TEXTS_MIN = 5;

async function readExamples(command: Command, file: string): Promise<readonly ComparedExample[]> {
  const { rows, issues } = await readLabeledRows(file).catch(() => usageError(command, `Cannot read ${file}.`));
  const lines = issues.map(({ line, message }) => `\n  line ${line}: ${message}`);
  if (lines.length > 0) usageError(command, `${file} has ${lines.length} issues.${lines.join("")}`);
  const examples = rows.flatMap(({ judged, label }) =>
    "state" in judged ? [{ text: judged.state, route: label }] : [],
  );
  const counts = new Map<string, number>();
  for (const { route } of examples) if (route !== null) counts.set(route, (counts.get(route) ?? 0) + 1);
  const short = [...counts].filter(([, count]) => count < TEXTS_MIN).map(([route, count]) => `\n  ${route}: ${count}`);
  if (counts.size < ROUTES_MIN) usageError(command, `${file} must have at least ${ROUTES_MIN} routes with texts.`);
  if (short.length > 0)
    usageError(command, `Each route needs at least ${TEXTS_MIN} texts in ${file}.${short.join("")}`);
  return examples;
}
