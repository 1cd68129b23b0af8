/** What teaches domains: the intents of CLINC150, each in one of ten domains, and texts that belong to none of them. */
import type { HeadExample } from "../src/head/examples.ts";
import type { DataFolder, Use } from "./data-folder.ts";

/** Of the questions of examinations one in so many, without its answers: strays of one kind only would be all that is known as strange. */
const QUESTIONS = 20;
const LABELLED = { texts: ["text"], labels: ["label"] } as const;

export function readDomains(data: DataFolder, use: Use): ReadonlyMap<string, string> {
  const domains = data.json("intents/CLINC150/domains.json", use);
  if (typeof domains !== "object" || domains === null) throw new Error("domains.json holds no object.");
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
