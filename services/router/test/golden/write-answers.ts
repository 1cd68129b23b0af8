/** After a training: `node services/router/test/golden/write-answers.ts`. What changed is seen in the difference of the file. */
import { writeFileSync } from "node:fs";
import { openShippedArtifacts } from "@triptych/decisions";
import { ANSWERS, goldenLines } from "./golden.ts";

writeFileSync(ANSWERS, `${goldenLines(openShippedArtifacts()).join("\n")}\n`);
