/** Validates single-line texts of forges and pages against characters that change their display, and reviewer names. */
import type { ValidationErrors } from "@triptych/server";
import { textsAt, type SentText } from "./body-checks.ts";

const SINGLE_LINE = ["/name", "/pr/title_prefix", "/pr/labels", "/pr/reviewers"];
/** Control characters, line separators and bidirectional controls. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** The union of what GitHub, GitLab and Gitea accept; GitHub bots end in `[bot]`. */
const ACCOUNT = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\[bot\])?$/;

export function checkPlainTexts(body: unknown, errors: ValidationErrors): void {
  for (const { path, name, text } of SINGLE_LINE.flatMap((pointer) => textsAt(body, pointer)))
    if (UNPRINTABLE.test(text)) {
      const message = `\`${name}\` contains control or bidirectional characters.`;
      errors.add({ path, reason: "wrong_form", message });
    }
  for (const reviewer of textsAt(body, "/pr/reviewers")) checkReviewer(reviewer, errors);
}

function checkReviewer({ path, name, text }: SentText, errors: ValidationErrors): void {
  if (ACCOUNT.test(text) && text.toLowerCase() !== "all") return;
  const message = `\`${name}\` is not an account name: use letters, digits, \`.\`, \`_\` and \`-\`, without \`@\`.`;
  errors.add({ path, reason: "wrong_form", message });
}
