/**
 * Domains on CLINC150 `valid`: how often one is said, and how often that is right, texts out of scope counting as wrong whenever one is
 * said. On the trunk without CLINC150 the figures are those of unseen data for the trunk, where that trunk is there.
 */
import { openDomain } from "../../src/signals/open-domain.ts";
import { trainDomain } from "../../src/signals/train-signals.ts";
import { normaliseText } from "../../src/text/normalise.ts";
import { readDomainRows, readDomains } from "../domain-rows.ts";
import { percent, printTable } from "../table.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

const LABELLED = { texts: ["text", "label"] } as const;

export function evaluateDomain(evaluation: Evaluation): void {
  if (!isWanted(evaluation, "domain")) return;
  const { data } = evaluation;
  const domainOf = readDomains(data, "evaluation");
  const rows = readDomainRows(data);
  const known = new Set(rows.map(({ text }) => normaliseText(text)));
  const inside = data
    .rows("intents/CLINC150/valid.jsonl", "evaluation", LABELLED)
    .filter(({ text }) => !known.has(normaliseText(text)))
    .map(({ text, label }) => ({ text, domain: domainOf.get(label) ?? null }));
  const outside = data.rows("oos/CLINC150/valid.jsonl", "evaluation", LABELLED);
  const print = printTable([
    ["domain", 20],
    ["n", 7],
    ["said", 7],
    ["right", 7],
    ["said out of scope", 19],
    ["majority", 9],
  ]);
  for (const name of ["without-CLINC150", "trunk"]) {
    const trunk = readTrunk(evaluation, name, "npm run train:trunk");
    if (trunk === null) continue;
    const model = openDomain(trainDomain(trunk, rows).bytes, trunk);
    const decided = inside.map(({ text, domain }) => ({ domain, said: model.decide(trunk.encode(text)).domain }));
    const strays = outside.map(({ text }) => model.decide(trunk.encode(text)).domain).filter((said) => said !== null);
    const said = decided.filter((one) => one.said !== null);
    const right = said.filter((one) => one.said === one.domain).length;
    const counts = [...Map.groupBy(inside, ({ domain }) => domain).values()].map((members) => members.length);
    print([
      name,
      String(inside.length),
      percent(said.length / inside.length),
      percent(right / (said.length + strays.length)),
      percent(strays.length / outside.length),
      percent(Math.max(...counts) / inside.length),
    ]);
  }
}
