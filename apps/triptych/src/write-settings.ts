/** `npm run settings`: writes `.env.example` and the reference in docs/operators.md; with `--check`, reports a difference. */
import { readFile, writeFile } from "node:fs/promises";
import { exampleFile, withReference } from "./settings-text.ts";
import { loadSettings, mergeVariables } from "./settings.ts";

const EXAMPLE = new URL("../../../.env.example", import.meta.url);
const PAGE = new URL("../../../docs/operators.md", import.meta.url);

const variables = mergeVariables(await loadSettings());
const page = await readFile(PAGE, "utf8");
for (const [file, text] of [
  [EXAMPLE, exampleFile(variables)],
  [PAGE, withReference(page, variables)],
] as const) {
  const current = await readFile(file, "utf8").catch(() => null);
  if (current === text) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${file.pathname} differs from the variables: run \`npm run settings\`.\n`);
    process.exitCode = 1;
  } else {
    await writeFile(file, text);
  }
}
