/** A table from gates to edits. Ambiguous cases have no repair; a person or an agent decides. */
import { readGateLine } from "../gate-command/gate-registry.ts";
import { mendDependency } from "./mend-dependency.ts";
import { mendLink } from "./mend-link.ts";
import type { Repair, RepairContext } from "./repair.ts";
import { writeLicence } from "./write-licence.ts";
import { writeReadme } from "./write-readme.ts";

type Mender = (args: readonly string[], context: RepairContext) => Promise<Repair | null>;

const MENDERS: ReadonlyMap<string, Mender> = new Map([
  ["link", mendLink],
  [
    "has",
    ([kind], context) =>
      kind === "licence" ? writeLicence(context) : kind === "readme" ? writeReadme(context) : NO_REPAIR,
  ],
  ["dep-at-least", mendDependency],
]);

const NO_REPAIR = Promise.resolve(null);

/** Null where no unambiguous repair exists. */
export async function planRepair(gate: string, context: RepairContext): Promise<Repair | null> {
  const [name = "", ...args] = readGateLine(gate) ?? [];
  return (await MENDERS.get(name)?.(args, context)) ?? null;
}
