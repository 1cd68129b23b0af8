import { filesOf, KINDS } from "../reading/kinds.ts";
import { readFolder } from "../reading/tree.ts";
import type { GateDefinition } from "./gate-protocol.ts";

export const has: GateDefinition = {
  usage: "has licence|readme|ci",
  about: "the repository has such a file, and it is not empty",
  async ask({ args: [name, ...more], folder }) {
    const kind = KINDS.find((candidate) => candidate === name);
    if (kind === undefined || more.length > 0) return null;
    const [found] = filesOf(await readFolder(folder), kind);
    return found === undefined ? { code: 1, message: `No ${kind} found.` } : { code: 0, message: `${found} exists.` };
  },
};
