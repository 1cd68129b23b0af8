import { readTests } from "../scouts/reading/tests.ts";
import { readFolder } from "../scouts/reading/tree.ts";
import type { GateWord } from "./gate-word.ts";

export const tested: GateWord = {
  usage: "tested <path>",
  about: "a test file imports it",
  async ask({ words: [path, ...more], folder }) {
    if (path === undefined || path === "" || more.length > 0) return null;
    const tree = await readFolder(folder);
    // Moving it out of sight is no test.
    if (!tree.files.has(path)) return { code: 1, says: `${path} is not there.` };
    return (await readTests(tree)).areImporting(path)
      ? { code: 0, says: `A test imports ${path}.` }
      : { code: 1, says: `No test imports ${path}.` };
  },
};
