/** Validates globs. An invalid one would protect nothing, or everything. */
import { globIssue } from "@triptych/change-policy";
import type { ValidationErrors } from "@triptych/server";
import { textsAt } from "./body-checks.ts";

const POINTERS = ["/protected_paths", "/explore/areas", "/areas", "/gate/frozen_paths", "/scope"];

export function checkGlobs(body: unknown, errors: ValidationErrors): void {
  for (const { path, name, text } of POINTERS.flatMap((pointer) => textsAt(body, pointer))) {
    const issue = globIssue(text);
    if (issue === null) continue;
    const message = `\`${name}\` contains an invalid glob: ${JSON.stringify(text.slice(0, 200))} ${issue}.`;
    errors.add({ path, reason: "wrong_form", message });
  }
}
