/**
 * Reads the training texts of foreign bots: Rasa (YAML and Markdown), LUIS and QnA Maker (`.lu`, `.qna`), nlp.js and
 * `intents.json` files with tags and patterns. Entity annotations are replaced by their text.
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parse } from "yaml";
import { isLabelled, type Labelled } from "../labelled-rows.ts";

const READERS: Readonly<Record<string, (content: string) => readonly Labelled[]>> = {
  ".yml": readRasaYaml,
  ".yaml": readRasaYaml,
  ".md": readRasaMarkdown,
  ".json": readJson,
  ".jsonl": readJsonLines,
  ".lu": readLuis,
  ".qna": readLuis,
};

/** Reads the texts of all files in a folder; files in other formats are ignored. */
export function readIntents(folder: string): readonly Labelled[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => READERS[extname(file)]?.(readFileSync(join(folder, file), "utf8").replace(/^\uFEFF/, "")) ?? [])
    .map(({ text, label }) => ({ text: text.replaceAll(/\s+/g, " ").trim(), label }))
    .filter(({ text }) => text !== "");
}

function readRasaYaml(content: string): readonly Labelled[] {
  return listOf(parse(content), "nlu").flatMap((entry) => {
    const label = stringOf(entry, "intent");
    const examples = stringOf(entry, "examples");
    return label === null || examples === null ? [] : bullets(examples, label);
  });
}

function readRasaMarkdown(content: string): readonly Labelled[] {
  return sections(content, /^##\s*intent:\s*(.+)$/);
}

/** A QnA section begins with `## ?` and a first question, which is its label. */
function readLuis(content: string): readonly Labelled[] {
  const beforeAnswers = content.replaceAll(/```[\s\S]*?```/g, "");
  return sections(beforeAnswers, /^##?\s+(?:\?\s*)?(.+)$/);
}

function readJsonLines(content: string): readonly Labelled[] {
  return content
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line))
    .filter(isLabelled);
}

function readJson(content: string): readonly Labelled[] {
  const file: unknown = JSON.parse(content);
  const entries = [...listOf(file, "data"), ...listOf(file, "intents")];
  return entries.flatMap((entry) => {
    const label = stringOf(entry, "intent") ?? stringOf(entry, "tag");
    if (label === null) return [];
    const texts = ["utterances", "tests", "patterns"].flatMap((member) => listOf(entry, member));
    return texts.filter((text) => typeof text === "string").map((text) => ({ text, label }));
  });
}

function sections(content: string, heading: RegExp): readonly Labelled[] {
  const rows: Labelled[] = [];
  let label: string | null = null;
  for (const line of content.split(/\r?\n/)) {
    if (line.startsWith("#")) label = heading.exec(line)?.[1]?.trim() ?? null;
    else if (label !== null) rows.push(...bullets(line, label));
  }
  return rows;
}

function bullets(lines: string, label: string): readonly Labelled[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const text = /^\s*[-*+]\s+(.+)$/.exec(line)?.[1];
    const plain = text === undefined ? "" : withoutEntities(text);
    // Any remaining markup is a pattern with alternatives or slots, which nobody types.
    return plain === "" || /[[\]{}|^]/.test(plain) ? [] : [{ text: plain, label }];
  });
}

/** `[text](entity)`, `[text]{"entity": …}` and `{entity=text}` are replaced by their text. */
function withoutEntities(text: string): string {
  let plain = text.replaceAll(/\[([^\][]*)\](?:\([^)]*\)|\{[^}]*\})/g, "$1");
  for (let before = ""; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(/\{@?[\w.:]+\s*=\s*([^{}]*)\}/g, "$1");
  }
  return plain.trim();
}

function listOf(value: unknown, member: string): readonly unknown[] {
  const list: unknown = typeof value === "object" && value !== null ? Reflect.get(value, member) : null;
  return Array.isArray(list) ? list : [];
}

function stringOf(value: unknown, member: string): string | null {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, member) : null;
  return typeof text === "string" ? text : null;
}
