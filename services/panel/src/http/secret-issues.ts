/** Refuses secrets in texts for prompts, commits and pull requests. Redacting them would change the meaning. */
import { createRedactor } from "@triptych/redaction";
import type { ValidationErrors } from "@triptych/server";
import { textsAt } from "./body-checks.ts";

const POINTERS = ["/focus", "/text", "/scope", "/name", "/reason", "/pr/title_prefix", "/pr/labels"];
const redactor = createRedactor(new Map());

export function checkSecrets(body: unknown, errors: ValidationErrors): void {
  for (const { path, name, text } of POINTERS.flatMap((pointer) => textsAt(body, pointer))) {
    const kinds = redactor.find(text);
    if (kinds.length === 0) continue;
    const message = `\`${name}\` contains a secret (${kinds.join(", ")}): remove it.`;
    errors.add({ path, reason: "secret", message });
  }
}
