/**
 * `triptych gate …`: small checks of the current folder. Exit code 0: passed, 1: failed, 2: invalid arguments or an unreachable address.
 * Changes nothing.
 */
import { filesOf, KINDS } from "../reading/kinds.ts";
import { readFolder } from "../reading/tree.ts";
import { dependencyGate } from "./dep-at-least.ts";
import { fasterThan } from "./faster-than.ts";
import type { GateResult, GateRequest, GateDefinition } from "./gate-protocol.ts";
import { link } from "./link-resolves.ts";
import { pinGate } from "./pinned.ts";
import { tested } from "./tested.ts";

const has: GateDefinition = {
  usage: "has licence|readme|ci",
  about: "the repository has such a file, and it is not empty",
  async ask({ args: [name, ...more], folder }) {
    const kind = KINDS.find((candidate) => candidate === name);
    if (kind === undefined || more.length > 0) return null;
    const [found] = filesOf(await readFolder(folder), kind);
    return found === undefined ? { code: 1, message: `No ${kind} found.` } : { code: 0, message: `${found} exists.` };
  },
};

const maxSize: GateDefinition = {
  usage: "max-size <path> <bytes>",
  about: "the file is at most this large, or does not exist",
  async ask({ args: [path, most, ...more], folder }) {
    if (path === undefined || path === "" || !/^\d{1,15}$/.test(most ?? "") || more.length > 0) return null;
    const file = (await readFolder(folder)).files.get(path);
    if (file === undefined) return { code: 0, message: `${path} does not exist.` };
    const message = `${path} has ${file.bytes} bytes; the maximum is ${most}.`;
    return { code: file.bytes <= Number(most) ? 0 : 1, message };
  },
};

export const GATE_DEFINITIONS: ReadonlyMap<string, GateDefinition> = new Map([
  ["faster-than", fasterThan],
  ["tested", tested],
  ["dep-at-least", dependencyGate],
  ["pinned", pinGate],
  ["link", link],
  ["has", has],
  ["max-size", maxSize],
]);

export async function askGate(args: readonly string[], about: Omit<GateRequest, "args">): Promise<GateResult> {
  const [name = "", ...rest] = args;
  const gate = GATE_DEFINITIONS.get(name);
  if (gate === undefined)
    return unclear(name === "" ? "Gate name required." : `Unknown gate ${JSON.stringify(name)}.`, GATE_USAGE);
  try {
    return (
      (await gate.ask({ args: rest, ...about })) ??
      unclear(`Invalid gate arguments: ${args.join(" ")}`, `  triptych gate ${gate.usage}`)
    );
  } catch (error) {
    return unclear(`The gate could not run: ${error instanceof Error ? error.message : String(error)}`, "");
  }
}

export const GATE_USAGE = [...GATE_DEFINITIONS.values()]
  .map(({ usage, about }) => `  triptych gate ${usage}\n      ${about}`)
  .join("\n");

function unclear(what: string, usage: string): GateResult {
  return { code: 2, message: usage === "" ? what : `${what}\n${usage}` };
}
