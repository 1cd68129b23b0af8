/** Parses the panel's frames and serializes the worker's. */
import { panelFrames, type PanelFrame, type WorkerFrame } from "@triptych/contracts";
import { Compile } from "typebox/compile";

const checks = new Map<string, (value: unknown) => boolean>(
  Object.entries(panelFrames).map(([type, schema]) => {
    const compiled = Compile(schema);
    return [type, (value) => compiled.Check(value)];
  }),
);

export type Read =
  | { readonly kind: "frame"; readonly frame: PanelFrame }
  /** A type that only a newer panel sends; ignored. */
  | { readonly kind: "unknown" }
  | { readonly kind: "malformed"; readonly type: string };

export function readFrame(text: string): Read {
  const value = parsed(text);
  const type = typeof value === "object" && value !== null && "t" in value ? String(value.t) : "";
  const check = checks.get(type);
  if (check === undefined) return type === "" ? { kind: "malformed", type } : { kind: "unknown" };
  // The schema of this type has just validated it.
  return check(value) ? { kind: "frame", frame: value as PanelFrame } : { kind: "malformed", type };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function frameText(frame: WorkerFrame): string {
  return JSON.stringify(frame);
}
