/** Body checks beyond the schema. Their issues are reported together with the schema's. */
import { type Endpoint, ENVIRONMENT_MAX, environmentNameIssue, type RepoSettings } from "@triptych/contracts";
import { type RequestHandler, type ValidatingHandler, type ValidationErrors, validationFailed } from "@triptych/server";
import { globIssue } from "@triptych/change-policy";
import { createRedactor } from "@triptych/redaction";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Caller } from "./caller.ts";
import type { StoredEnvironment } from "../domain/repo-environment.ts";
import { readCron } from "../domain/cron.ts";
import { isZone } from "../domain/cron-times.ts";

/** `body`: the raw body; only the checked members need the right type. */
export type BodyCheck = (body: unknown, errors: ValidationErrors) => void;

export function checked<E extends Endpoint>(
  handler: RequestHandler<E, Caller> | ValidatingHandler<E, Caller>,
  ...checks: readonly BodyCheck[]
): ValidatingHandler<E, Caller> {
  return {
    handle(context, errors) {
      for (const check of checks) check(context.body, errors);
      if (typeof handler === "object") return handler.handle(context, errors);
      errors.refuse();
      return handler(context);
    },
  };
}

export interface SentText {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** The string at a JSON pointer, or each string of a list there; empty for other types. */
export function textsAt(body: unknown, pointer: string): readonly SentText[] {
  const names = pointer.slice(1).split("/");
  const last = names.at(-1) ?? "";
  const value = names.reduce<unknown>((part, name) => memberOf(part, name), body);
  if (typeof value === "string") return [{ path: pointer, name: last, text: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((text: unknown, at) =>
    typeof text === "string" ? [{ path: `${pointer}/${at}`, name: `${last}[${at}]`, text }] : [],
  );
}

function memberOf(part: unknown, name: string): unknown {
  if (typeof part !== "object" || part === null || !Object.hasOwn(part, name)) return undefined;
  return Reflect.get(part, name);
}

const GLOBS = ["/protected_paths", "/explore/areas", "/areas", "/gate/frozen_paths", "/scope"];

/** An invalid glob would protect nothing, or everything. */
export function checkGlobs(body: unknown, errors: ValidationErrors): void {
  for (const { path, name, text } of GLOBS.flatMap((pointer) => textsAt(body, pointer))) {
    const issue = globIssue(text);
    if (issue === null) continue;
    const message = `\`${name}\` contains an invalid glob: ${JSON.stringify(text.slice(0, 200))} ${issue}.`;
    errors.add({ path, reason: "wrong_form", message });
  }
}

const TEXTS = ["/focus", "/text", "/scope", "/name", "/reason", "/pr/title_prefix", "/pr/labels"];
const redactor = createRedactor(new Map());

/** Rejects secrets in texts of prompts, commits and pull requests, where redacting them would change the meaning. */
export function checkSecrets(body: unknown, errors: ValidationErrors): void {
  for (const { path, name, text } of TEXTS.flatMap((pointer) => textsAt(body, pointer))) {
    const kinds = redactor.find(text);
    if (kinds.length === 0) continue;
    const message = `\`${name}\` contains a secret (${kinds.join(", ")}): remove it.`;
    errors.add({ path, reason: "secret", message });
  }
}

const SINGLE_LINE = ["/name", "/pr/title_prefix", "/pr/labels", "/pr/reviewers"];
/** Control characters, line separators and bidirectional controls. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** The union of what GitHub, GitLab and Gitea accept; GitHub bots end in `[bot]`. */
const ACCOUNT = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\[bot\])?$/;

/** Single-line texts of forges and pages, and reviewer names. */
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

/** Only the members checked here; the contract validates the rest. */
const TeamBody = Type.Object({
  team: Type.Object({
    members: Type.Array(
      Type.Object({ role: Type.String(), cli: Type.String(), command: Type.Optional(Type.Unknown()) }),
      { minItems: 1 },
    ),
  }),
});

/** Refuses a team that no worker can run, instead of letting its runs wait for a day. */
export function validateTeam(body: unknown, errors: ValidationErrors): void {
  if (!Value.Check(TeamBody, body)) return;
  const { members } = body.team;
  if (!members.some(({ role }) => role === "coder")) {
    const message = "A team needs a member with the `role` coder.";
    errors.add({ path: "/team/members", reason: "no_coder", message });
  }
  for (const [index, { cli, command }] of members.entries())
    if (cli === "command" && command === undefined) {
      const message = "`command` is required: a list with the program and its arguments.";
      errors.add({ path: `/team/members/${index}/command`, reason: "required", message });
    }
}

/** Only the members checked here; the contract validates the rest. */
const Loose = Type.Object({ schedule: Type.Optional(Type.Unknown()), explore: Type.Optional(Type.Unknown()) });
const Planned = Type.Object({
  enabled: Type.Optional(Type.Unknown()),
  cron: Type.Optional(Type.Unknown()),
  timezone: Type.Optional(Type.Unknown()),
});
const Scouted = Type.Object({ schedule: Type.Optional(Type.Unknown()) });

export function checkScheduleChange(body: unknown, errors: ValidationErrors): void {
  validateSchedule(body, errors, { isNew: false });
}

/** `body`: the raw body. `isNew`: the repo is being created. */
export function validateSchedule(
  body: unknown,
  errors: ValidationErrors,
  { isNew }: { readonly isNew: boolean },
): void {
  if (!Value.Check(Loose, body)) return;
  const { schedule, explore } = body;
  if (Value.Check(Scouted, explore)) validatePattern(explore.schedule, "/explore/schedule", errors);
  validatePattern(schedule, "/schedule", errors);
  if (!Value.Check(Planned, schedule)) return;
  const { enabled, cron, timezone } = schedule;
  validatePattern(cron, "/schedule/cron", errors);
  if (enabled === true && (cron === null || (isNew && cron === undefined))) errors.add(NO_PATTERN);
  if (typeof timezone !== "string" || isZone(timezone)) return;
  const message = "`timezone` must be an IANA time zone, such as Europe/Paris or UTC.";
  errors.add({ path: "/schedule/timezone", reason: "unknown_zone", message });
}

function validatePattern(pattern: unknown, path: string, errors: ValidationErrors): void {
  const read = typeof pattern === "string" ? readCron(pattern) : null;
  if (read?.kind !== "bad") return;
  const message = `\`${path.slice(1).replaceAll("/", ".")}\` is not a valid schedule: ${read.why}.`;
  errors.add({ path, reason: "wrong_form", message });
}

const NO_PATTERN = {
  path: "/schedule/cron",
  reason: "required",
  message: "`cron` is required for an enabled schedule, for example `0 3 * * 1`.",
};

/** An update enables a schedule that has no pattern. */
export function refuseEmptySchedule({ schedule }: Pick<RepoSettings, "schedule">): void {
  if (schedule.enabled && schedule.cron === null) throw validationFailed([NO_PATTERN]);
}
