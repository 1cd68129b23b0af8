import { coverageOf, requiredAssertions } from "../reading/coverage.ts";
import { readFolder } from "../reading/tree.ts";
import type { GateResult, GateDefinition } from "./gate-protocol.ts";

export const tested: GateDefinition = {
  usage: "tested <path>",
  about: "tests import the file and assert a quarter of its exports",
  async ask({ args: [path, ...more], folder }) {
    if (path === undefined || path === "" || more.length > 0) return null;
    const tree = await readFolder(folder);
    // Moving the source file away does not pass the gate.
    if (!tree.files.has(path)) return { code: 1, message: `${path} does not exist.` };
    const { exported, asserted, isImported } = await coverageOf(tree, path);
    if (!isImported) return { code: 1, message: `No test imports ${path}.` };
    // If nothing is exported, or the language is not supported, an import is the strongest evidence.
    if (exported.length === 0) return { code: 0, message: `A test imports ${path}.` };
    return judge(path, exported, asserted);
  },
};

const LISTED_NAMES_MAX = 20;

function judge(path: string, exported: readonly string[], asserted: ReadonlySet<string>): GateResult {
  const fewest = requiredAssertions(exported);
  const message = `Tests assert ${asserted.size} of the ${exported.length} names that ${path} exports`;
  if (asserted.size >= fewest) return { code: 0, message: `${message}.` };
  const missing = exported.filter((name) => !asserted.has(name));
  const more = missing.length > LISTED_NAMES_MAX ? ", …" : "";
  return {
    code: 1,
    message: `${message}; at least ${fewest} are needed. Not asserted: ${missing.slice(0, LISTED_NAMES_MAX).join(", ")}${more}.`,
  };
}
