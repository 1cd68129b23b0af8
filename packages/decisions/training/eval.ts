/**
 * `npm run eval [-- --quick] [--trunks folder] [--only BANKING77,phrasings,options,escalation,complexity,domain]`: prints one table for
 * each kind of decision, baselines in every row. What is learned is judged on rows it had not seen; nothing is chosen here. Held-back
 * test splits are run by others.
 */
import { parseArgs } from "node:util";
import { openDataFolder } from "./data-folder.ts";
import { evaluateHeads } from "./tasks/custom-heads.ts";
import { evaluateComplexity } from "./tasks/complexity.ts";
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
const evaluation: Evaluation = { data, trunks, quick, only: values.only?.split(",") ?? null };

evaluateHeads(evaluation);
evaluateOptions(evaluation);
evaluateEscalation(evaluation);
evaluateComplexity(evaluation);
evaluateDomain(evaluation);
