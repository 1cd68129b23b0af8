/** What teaches domains: the intents of CLINC150, each in one of ten domains, and texts that belong to none of them. */
import type { HeadExample } from "../src/head/examples.ts";
import type { DataFolder, Use } from "./data-folder.ts";

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
  const outside = data.rows("oos/CLINC150/train.jsonl", "signals", LABELLED).map(({ text }) => ({ text, route: null }));
  return [...inside, ...outside];
}
