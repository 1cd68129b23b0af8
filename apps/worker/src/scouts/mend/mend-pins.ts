/** Moves pins of actions, images and Python packages; text around them stays. */
import { parsePins } from "../gate-command/pinned.ts";
import { readPins } from "../reading/pins.ts";
import type { Edit, Repair, RepairContext } from "./repair.ts";

/** Lock files that only Python tools can update. */
const PYTHON_LOCKS = ["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"];

export async function mendPins(args: readonly string[], { tree }: RepairContext): Promise<Repair | null> {
  const request = parsePins(args);
  if (request === null) return null;
  const edits: Edit[] = [];
  for (const path of request.paths) {
    const before = await tree.read(path);
    const pins = before === null ? [] : await readPins(tree, path);
    if (pins.some(({ kind }) => kind === "python") && PYTHON_LOCKS.some((name) => tree.files.has(name))) return null;
    let text = before ?? "";
    // Edits start from the end, so that earlier offsets stay valid.
    for (const { name, value, label, at, labelAt } of pins.toReversed()) {
      const pin = request.pins.find((one) => one.name === name);
      if (pin === undefined || value === pin.value || !request.from.includes(value)) continue;
      if (label !== null && pin.label !== null) text = replaced(text, labelAt, label, pin.label);
      text = replaced(text, at, value, pin.value);
    }
    if (text !== before && before !== null) edits.push({ path, text });
  }
  const summary = `${edits.map(({ path }) => path).join(", ")}: ${request.pins.map(({ name, value, label }) => `${name} ${label ?? value}`).join(", ")}`;
  return edits.length === 0 ? null : { summary, edits, lockTool: null };
}

function replaced(text: string, at: number, before: string, after: string): string {
  return text.slice(0, at) + after + text.slice(at + before.length);
}
