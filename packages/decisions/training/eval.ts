/**
 * `npm run eval [-- --quick] [--trunks folder] [--only disjointness,BANKING77,phrasings,options,escalation,complexity,domain]`: proves that
 * training and evaluation share no text, then prints one table for each kind of decision, baselines in every row. What is learned is judged
 * on rows it had not seen; nothing is chosen here. Held-back test splits are run by others. All rows are written to `reports/eval.json`.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { openDataFolder } from "./data-folder.ts";
import { evaluateHeads } from "./tasks/custom-heads.ts";
import { evaluateComplexity } from "./tasks/complexity.ts";
import { evaluateDisjointness } from "./tasks/disjointness.ts";
import { evaluateDomain } from "./tasks/domain.ts";
import { evaluateEscalation } from "./tasks/escalation.ts";
import type { Evaluation } from "./tasks/evaluation.ts";
import { evaluateOptions } from "./tasks/options.ts";

const { values } = parseArgs({
  options: {
    trunks: { type: "string", default: "packages/decisions/artifacts" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const data = openDataFolder();
if (data === null) throw new Error("The folder of training data is absent; TRIPTYCH_ROUTING_DATA names it.");
const { trunks, quick } = values;
const tables: Record<string, Readonly<Record<string, string>>[]> = {};
const evaluation: Evaluation = {
  data,
  trunks,
  quick,
  only: values.only?.split(",") ?? null,
  note: (task) => (row) => void (tables[task] ??= []).push(row),
};

evaluateDisjointness(evaluation);
evaluateHeads(evaluation);
evaluateOptions(evaluation);
evaluateEscalation(evaluation);
evaluateComplexity(evaluation);
evaluateDomain(evaluation);

mkdirSync("reports", { recursive: true });
const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
const report = { version: 1, quick, machine, trunk: sha256Of(`${trunks}/trunk.tptk`), tables };
writeFileSync("reports/eval.json", `${JSON.stringify(report, null, 2)}\n`);

function sha256Of(file: string): string | null {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : null;
}
