/**
 * `triptych gate …`: small checks of a tree. Exit code 0 is green, 1 is red, 2 is an error: invalid arguments, or an unreachable address.
 * Runs in the current folder and changes nothing.
 */
import { dependencyGate } from "./dep-at-least.ts";
import { fasterThan } from "./faster-than.ts";
import type { GateResult, GateRequest, GateDefinition } from "./gate-protocol.ts";
import { has } from "./file-exists.ts";
import { link } from "./link-resolves.ts";
import { maxSize } from "./max-size.ts";
import { tested } from "./tested.ts";

export const GATE_DEFINITIONS: ReadonlyMap<string, GateDefinition> = new Map([
  ["faster-than", fasterThan],
  ["tested", tested],
  ["dep-at-least", dependencyGate],
  ["link", link],
  ["has", has],
  ["max-size", maxSize],
]);

export async function askGate(args: readonly string[], about: Omit<GateRequest, "args">): Promise<GateResult> {
  const [name = "", ...rest] = args;
  const gate = GATE_DEFINITIONS.get(name);
  if (gate === undefined)
    return unclear(name === "" ? "Which gate?" : `There is no gate ${JSON.stringify(name)}.`, GATE_USAGE);
  try {
    return (
      (await gate.ask({ args: rest, ...about })) ??
      unclear(`These words make no gate: ${args.join(" ")}`, `  triptych gate ${gate.usage}`)
    );
  } catch (error) {
    return unclear(`The gate could not look: ${error instanceof Error ? error.message : String(error)}`, "");
  }
}

export const GATE_USAGE = [...GATE_DEFINITIONS.values()]
  .map(({ usage, about }) => `  triptych gate ${usage.padEnd(38)} ${about}`)
  .join("\n");

function unclear(what: string, usage: string): GateResult {
  return { code: 2, says: usage === "" ? what : `${what}\n${usage}` };
}
