/**
 * `triptych gate …`: small checks of the current folder. Exit code 0: passed, 1: failed, 2: invalid arguments or an unreachable address.
 * Changes nothing.
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
  .map(({ usage, about }) => `  triptych gate ${usage.padEnd(38)} ${about}`)
  .join("\n");

function unclear(what: string, usage: string): GateResult {
  return { code: 2, message: usage === "" ? what : `${what}\n${usage}` };
}
