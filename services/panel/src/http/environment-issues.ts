import { ENVIRONMENT_MAX, environmentNameIssue } from "@triptych/contracts";
import { validationFailed, type ValidationErrors } from "@triptych/server";
import type { StoredEnvironment } from "../domain/repo-environment.ts";

export function checkEnvironment(body: unknown, errors: ValidationErrors): void {
  if (typeof body !== "object" || body === null || !("environment" in body)) return;
  const { environment } = body;
  if (typeof environment !== "object" || environment === null || Array.isArray(environment)) return;
  const names = Object.keys(environment);
  if (names.length > ENVIRONMENT_MAX) errors.add(tooMany(names.length));
  for (const name of names.slice(0, ENVIRONMENT_MAX)) {
    const issue = environmentNameIssue(name);
    if (issue === null) continue;
    const message = `${JSON.stringify(name.slice(0, 200))} is not a valid variable name: it ${issue}.`;
    errors.add({ path: `/environment/${name.slice(0, 200)}`, reason: "wrong_form", message });
  }
}

/** A patch adds to the existing variables. */
export function refuseManyVariables(environment: StoredEnvironment): void {
  const count = Object.keys(environment).length;
  if (count > ENVIRONMENT_MAX) throw validationFailed([tooMany(count)]);
}

function tooMany(count: number) {
  const message = `\`environment\` holds ${count} variables; at most ${ENVIRONMENT_MAX} are allowed.`;
  return { path: "/environment", reason: "too_many", message };
}
