import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandAgent } from "../../src/index.ts";
import { foundBy, scoutOn } from "../support/explore-story.ts";
import { NO_MODELS } from "../support/no-models.ts";
import { makeRepository } from "../support/repository.ts";
import { CLEAN } from "../support/scouted-repositories.ts";
import { inSandbox, isolation } from "./open-sandbox.ts";

const idea = {
  title: "There is no change log",
  focus: "Write one.",
  gate: { cmd: "test -e CHANGELOG.md" },
  category: "docs",
  rationale: "",
  evidence: [{ path: "README.md" }],
  score: 0.5,
  effort: "s",
  risk: "low",
};
/** Tries to write in every possible place, then answers. */
const WRITER = `
echo mine > README.md; echo mine > notes.txt; mkdir -p node_modules/x; rm -rf src; chmod 777 LICENSE; ln -s /etc/passwd link
mv test tests; touch README.md; printf x >> package.json; cp /bin/sh sh; git init; sed -i s/a/b/ src/sum.js
cat <<'END'
${JSON.stringify({ candidates: [idea] })}
END`;
const SCOUTS = process.env["TEST_LONG"] === undefined ? 1 : 200;

test(
  "leaves the tree unchanged by a scout that tries to write, accepts its findings, and runs gates in the sandbox",
  inSandbox,
  async () => {
    await using repository = makeRepository({
      ...CLEAN,
      "README.md": "[gone](gone.md)\n",
      "src/long.ts": `export const long = [\n${"  1,\n".repeat(40)}];\n`,
    });
    const agent = createCommandAgent(["/bin/sh", "-c", WRITER]);
    for (let round = 0; round < SCOUTS; round++) {
      const scouted = await scoutOn(repository, {
        agent,
        request: {
          checks: ["dead_link", "missing_test"],
          verify: { command: "true", setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
          isolation: { levelRequired: "sandbox", network: "model_only", allowHosts: [] },
        },
        createSandbox: isolation.sandboxes(NO_MODELS),
      });
      assert.deepEqual(
        foundBy(scouted).candidates.map(({ gate, gate_proof, source }) => [gate.cmd, gate_proof.exit_code, source]),
        [
          ["triptych gate link README.md gone.md", 1, "scan"],
          ["triptych gate tested src/long.ts", 1, "scan"],
          ["test -e CHANGELOG.md", 1, "agent"],
        ],
      );
      const output = scouted.items.map(({ text }) => text).join("");
      assert.match(output, /Read-only file system/);
    }
  },
);
