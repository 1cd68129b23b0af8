/** Training data for domains: the intents of CLINC150 in ten domains, and texts outside all of them. */
import type { HeadExample } from "../src/head/examples.ts";
import type { DataFolder, Use } from "./data-folder.ts";

/**
 * One exam question in this many is used, without its answers, so that out-of-scope texts are of more than one kind.
 */
const QUESTIONS = 20;
const LABELLED = { texts: ["text"], labels: ["label"] } as const;

export function readDomains(data: DataFolder, use: Use): ReadonlyMap<string, string> {
  const domains = data.json("intents/CLINC150/domains.json", use);
  if (typeof domains !== "object" || domains === null) throw new Error("domains.json must contain an object.");
  return new Map(
    Object.entries(domains).flatMap(([domain, intents]: [string, unknown]) =>
      Array.isArray(intents) ? intents.map((intent) => [String(intent), domain] as const) : [],
    ),
  );
}

export function readDomainRows(data: DataFolder): readonly HeadExample[] {
  const domainOf = readDomains(data, "signals");
  const inside = data
    .rows("intents/CLINC150/train.jsonl", "signals", LABELLED)
    .map(({ text, label }) => ({ text, route: domainOf.get(label) ?? null, group: label }));
  const strays = data.rows("oos/CLINC150/train.jsonl", "signals", LABELLED).map(({ text }) => text);
  const questions = data
    .rows("escalate/routellm_mmlu_dev.jsonl.gz", "signals", { texts: ["text"] })
    .filter((_, row) => row % QUESTIONS === 0)
    .map(({ text }) => text.split("\n")[0]);
  return [...inside, ...[...strays, ...questions].map((text) => ({ text, route: null }))];
}
