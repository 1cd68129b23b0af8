/** Validates pattern and zone of a schedule, reported together with the other issues of the body. */
import type { RepoSettings } from "@triptych/contracts";
import { validationFailed, type ValidationErrors } from "@triptych/server";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { readCron } from "../domain/cron.ts";
import { isZone } from "../domain/cron-times.ts";

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
