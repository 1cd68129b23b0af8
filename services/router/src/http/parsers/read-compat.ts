/** Parsing that both compatible APIs share: extensions, and texts that may be JSON. */
import { MESSAGES_CHARACTERS_MAX, UNSUPPORTED_FIELDS, type BodyOf, type systemone } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { CompatRequest } from "../../domain/openai-compat/questions.ts";
import { explainOf, floorsOf, readExpert } from "./read-decision.ts";
import { charactersOf } from "./rules.ts";

const EXTENSIONS = ["model", "expert", "min_conf", "max_error", "explain", "confidence_formula"] as const;

type Extensions = Pick<BodyOf<typeof systemone>, (typeof EXTENSIONS)[number]>;

/** `allowed` lists the API's own fields. */
export function readExtensions(body: Extensions, allowed: readonly string[], errors: ValidationErrors) {
  const known = new Set<string>([...EXTENSIONS, ...UNSUPPORTED_FIELDS, ...allowed]);
  return {
    expert: readExpert(body, errors),
    explain: explainOf(body.explain),
    ...floorsOf(body),
    formula: body.confidence_formula ?? "chance",
    // Clients may be newer than this router, so unknown fields cause warnings instead of errors.
    warnings: Object.keys(body)
      .filter((name) => !known.has(name))
      .slice(0, 20)
      .map((name) => `The field \`${name.slice(0, 60)}\` is not supported and was ignored.`),
  } satisfies Partial<CompatRequest>;
}

/** Checks the text of JSON or parts, which can be empty or too long although the schema accepts the body. */
export function checkText(text: string, path: string, errors: ValidationErrors): void {
  if (!errors.isValid(path)) return;
  if (!/\S/.test(text)) errors.add({ path, reason: "empty", message: "This contains no text to classify." });
  else if (charactersOf(text) > MESSAGES_CHARACTERS_MAX)
    errors.add({
      path,
      reason: "too_long",
      message: `This may have at most ${MESSAGES_CHARACTERS_MAX} characters as text.`,
    });
}
