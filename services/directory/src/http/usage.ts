import type { QueryOf, getUsage } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { Access, UsageReport } from "../domain/access.ts";
import type { Caller } from "./caller.ts";

const DAY_MS = 86_400_000;
const DAYS_MAX = 92;

export function usageHandler(access: Access, clock: () => number) {
  return {
    async handle(
      { caller, query, reply }: RequestContext<typeof getUsage, Caller>,
      errors: ValidationErrors,
    ): Promise<UsageReport> {
      const period = readPeriod(query, errors, clock());
      errors.refuse();
      reply.header("Cache-Control", "no-store");
      return access.usage(caller.holder, caller.entry, period);
    },
  };
}

/** Both days are inclusive. `from` defaults to the first day of the month of `to`, `to` to today (UTC). */
function readPeriod(
  query: QueryOf<typeof getUsage>,
  errors: ValidationErrors,
  now: number,
): { from: string; to: string } {
  const today = new Date(now).toISOString().slice(0, 10);
  const to = query.to ?? today;
  const from = query.from ?? `${(to < today ? to : today).slice(0, 7)}-01`;
  const isLate = query.to === undefined && from > today;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (isLate)
    errors.add({ path: "?from", reason: "too_late", message: `\`from\` must not be after today, ${today} (UTC).` });
  else if (days < 1)
    errors.add({
      path: "?to",
      reason: "before_from",
      message: `\`to\` is the last day and must not be before ${from}.`,
    });
  if (days > DAYS_MAX)
    errors.add({ path: "?from", reason: "too_long", message: `The period must not exceed ${DAYS_MAX} days.` });
  return { from, to };
}
