/** Parses `since`: the version or time of a client's copy. */
import type { ValidationErrors } from "@triptych/server";
import type { SincePoint } from "../domain/changes.ts";

const VERSION_ID = /^([1-9]\d{0,14})-[0-9a-f]{12}$/;
/** RFC 3339. A space is accepted for the `+` of an offset, which is decoded to a space in a URL. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+ -]\d\d:\d\d)$/;

export function readSince(text: string, errors: ValidationErrors): SincePoint | null {
  const [, number] = VERSION_ID.exec(text) ?? [];
  if (number !== undefined) return { kind: "version", number: Number(number), id: text };
  const at = TIME.test(text) ? Date.parse(text.replace(" ", "+").toUpperCase()) : NaN;
  if (Number.isFinite(at)) return { kind: "time", at };
  errors.add({
    path: "?since",
    reason: "wrong_form",
    message:
      "`since` must be the `version` of a response, as in since=7-3f9c2a10b4de, or an RFC 3339 time, as in since=2026-11-20T08:00:00Z.",
  });
  return null;
}
