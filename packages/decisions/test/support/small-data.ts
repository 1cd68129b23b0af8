/** Minimal folders of training data and test splits: their rows are the topics of the small trunk. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { dataFolder, hashOfText, type DataFolder, type LockedFile } from "../../training/data-folder.ts";
import { TOPICS } from "./small-trunk.ts";

const USES = ["trunk", "experts", "options", "signals", "evaluation"] as const;
const FRAMES = ["{}", "please {}", "well, {}", "so {}", "could you: {}", "hello, {}", "{} now", "{} today"];
/** The last frame is for evaluation. */
const HELD_OUT_FRAME = FRAMES.length - 1;

export const HELD_OUT_TEXT = "this one is held back";

export function writeRows(folder: string, file: string, rows: readonly unknown[]): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const text = rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");
  const bytes = file.endsWith(".gz") ? gzipSync(text) : Buffer.from(text);
  writeFileSync(path, bytes);
  return createHash("sha256").update(bytes).digest("hex");
}

/** All data of the evaluation tasks, with its lock. */
export function smallData(folder: string): DataFolder {
  const train = labelled((frame) => frame < HELD_OUT_FRAME - 1);
  const valid = labelled((frame) => frame === HELD_OUT_FRAME - 1);
  const strays = ["quantum chromodynamics", "seven blue triangles"].map((text) => ({
    text,
    label: "oos",
    kind: "ood",
  }));
  const files: Readonly<Record<string, readonly unknown[]>> = {
    "HELDOUT.sha256": [hashOfText(HELD_OUT_TEXT)],
    ...Object.fromEntries(
      ["BANKING77", "CLINC150", "HWU64"].flatMap((set) => [
        ...["train", "train_5", "train_10"].map((shots) => [`intents/${set}/${shots}.jsonl`, train] as const),
        [`intents/${set}/valid.jsonl`, valid] as const,
      ]),
    ),
    "intents/SNIPS/train.jsonl": train,
    "intents/SNIPS/valid.jsonl": valid,
    "pairs/wordnet.jsonl.gz": train.map(({ text, label }) => ({ a: label, b: text })),
    "pairs/tm4.jsonl.gz": train.map(({ text, label }) => ({ a: text, b: label })),
    "multi/nlupp_banking.jsonl": train.map(({ text, label }) => ({ text, labels: [label] })),
    "escalate/routellm_mmlu_dev.jsonl.gz": train.map(({ text, label }) => ({ text, subject: label })),
    "oos/CLINC150/train.jsonl": strays,
    "oos/CLINC150/valid.jsonl": strays.map(({ text, ...row }) => ({ ...row, text: `about ${text}` })),
    "choice/bfcl_multiple.jsonl": choices("m"),
    "choice/bfcl_live_multiple_dev.jsonl": choices("l"),
    "gate/bfcl_simple.jsonl": choices("s"),
    "gate/bfcl_live_simple.jsonl": choices("t"),
    "gate/bfcl_irrelevance.jsonl": nones("i"),
    "gate/bfcl_live_irrelevance_dev.jsonl": nones("j"),
    "tools/apibank_dev.jsonl": [apiBankRow(0)],
    "action/when2call_dev.jsonl": when2CallRows("w"),
  };
  const lock = Object.entries(files).map(([file, rows]): [string, LockedFile] => [
    file,
    { sha256: writeRows(folder, file, rows), licence: "CC0 1.0", uses: USES },
  ]);
  const apis = "tools/apibank_options.json";
  const apisLock = {
    sha256: writeRows(folder, apis, [JSON.stringify([offered("refund")])]),
    licence: "CC0 1.0",
    uses: USES,
  };
  return dataFolder(`${folder}/`, { ...Object.fromEntries(lock), [apis]: apisLock });
}

/** Topic texts in frames outside train and valid. */
export function testIntents(): readonly { readonly text: string; readonly label: string }[] {
  return labelled((frame) => frame === HELD_OUT_FRAME);
}

function labelled(isChosen: (frame: number) => boolean) {
  return Object.entries(TOPICS).flatMap(([label, texts]) =>
    texts.flatMap((text) =>
      FRAMES.filter((_, frame) => isChosen(frame)).map((frame) => ({ text: frame.replace("{}", text), label })),
    ),
  );
}

export function choices(id: string) {
  return Object.entries(TOPICS).flatMap(([topic, texts]) =>
    texts.map((text, index) => ({
      id: `${id}${topic}${index}`,
      text: `${text} ${id}`,
      options: [offered(topic), offered(topic === "chat" ? "refund" : "chat")],
      expected: topic,
    })),
  );
}

function nones(id: string) {
  return (
    TOPICS["weather"]?.map((text, index) => ({
      id: `${id}${index}`,
      text: `${text} ${id}`,
      options: [offered("refund"), offered("password")],
      label: "none",
    })) ?? []
  );
}

function when2CallRows(id: string) {
  return choices(id).map((row, index) => ({ ...row, label: index % 2 === 0 ? "tool_call" : "delegate" }));
}

function apiBankRow(index: number) {
  return { id: `a${index}`, text: `refund my order ${index}`, context: [], after: [], expected: "refund" };
}

function offered(topic: string) {
  const description = TOPICS[topic]?.[0] ?? topic;
  return { name: topic, description, params: { what: { description: "what it is about" } } };
}
