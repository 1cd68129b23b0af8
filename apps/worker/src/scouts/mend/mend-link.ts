/** Repairs a dead link that has exactly one plausible target. */
import { deadLinksOf, suggestFor } from "../reading/dead-links.ts";
import type { Repair, RepairContext } from "./repair.ts";

export async function mendLink(
  [file = "", target = ""]: readonly string[],
  { tree }: RepairContext,
): Promise<Repair | null> {
  const text = await tree.read(file);
  const dead = (await deadLinksOf(tree, file)).filter((entry) => entry.target === target);
  const meant = dead.length === 0 ? null : await suggestFor(tree, file, dead[0]);
  if (text === null || meant === null) return null;
  // From the end, so that earlier offsets stay valid.
  const mended = dead.toReversed().reduce((all, { at, end }) => all.slice(0, at) + meant + all.slice(end), text);
  return { summary: `${file}: ${target} changed to ${meant}`, edits: [{ path: file, text: mended }], lockTool: null };
}
