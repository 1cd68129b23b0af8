import { addressesOf, deadLinksOf } from "../reading/dead-links.ts";
import { isGone } from "../reading/reach-address.ts";
import { readFolder } from "../reading/tree.ts";
import type { GateResult, GateDefinition } from "./gate-protocol.ts";

export const link: GateDefinition = {
  usage: "link <file> <target>",
  about: "the file does not link to the target, or the target exists",
  async ask({ args: [file, target, ...more], folder }) {
    if (file === undefined || target === undefined || more.length > 0 || [file, target].includes("")) return null;
    const tree = await readFolder(folder);
    if ((await tree.read(file)) === null) return { code: 1, message: `${file} does not exist.` };
    if (/^https?:/i.test(target)) {
      const isLinked = (await addressesOf(tree, file)).some((entry) => entry.target === target);
      return isLinked ? reached(target) : { code: 0, message: `${file} does not link to ${target}.` };
    }
    const dead = (await deadLinksOf(tree, file)).find((entry) => entry.target === target);
    return dead === undefined
      ? { code: 0, message: `${file} has no dead link to ${target}.` }
      : { code: 1, message: `${file}, line ${dead.line}: ${target} points to a missing ${dead.missing}.` };
  },
};

async function reached(target: string): Promise<GateResult> {
  switch (await isGone(target, fetch)) {
    case true:
      return { code: 1, message: `${target} is gone.` };
    case false:
      return { code: 0, message: `${target} is reachable.` };
    case null:
      return { code: 2, message: `${target} cannot be reached from this machine.` };
  }
}
