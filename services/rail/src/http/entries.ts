import { USAGE_DAYS_MAX, type getWalletUsage, type listEntries, type QueryOf } from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import { toEntryResponse } from "../domain/entry.ts";
import type { Rail } from "../domain/rail.ts";
import { walletOf, type Caller } from "./identify.ts";
import { PAGE_DEFAULT, pageOf, readCursor } from "./cursors.ts";

/**
 * The sub-token whose entries are read; null for all entries of the wallet. A sub-token reads only its own; other
 * tokens are not found.
 */
export async function readToken(
  ledger: Pick<Rail["ledger"], "subToken">,
  caller: Caller,
  tokenId: string | undefined,
): Promise<string | null> {
  const { id: walletId, token: own } = walletOf(caller);
  if (tokenId === undefined || tokenId === own?.id) return own?.id ?? null;
  const token = own === null ? await ledger.subToken(tokenId) : null;
  if (token?.walletId !== walletId) throw new Problem("token_not_found");
  return token.id;
}

export function listEntriesHandler({ ledger }: Rail) {
  return {
    async handle({ caller, query }: RequestContext<typeof listEntries, Caller>, errors: ValidationErrors) {
      const { kind: kinds = [], limit = PAGE_DEFAULT } = query;
      const before = readCursor(query.cursor, /^[1-9]\d{0,14}$/, errors);
      errors.refuse();
      const entries = await ledger.entries(walletOf(caller).id, {
        tokenId: await readToken(ledger, caller, query.token),
        kinds,
        since: query.since === undefined ? null : Date.parse(query.since),
        until: query.until === undefined ? null : Date.parse(query.until),
        before: before === null ? null : Number(before),
        limit: limit + 1,
      });
      const { items, next_cursor } = pageOf(entries, limit, (last) => last.seq);
      return { items: items.map(toEntryResponse), next_cursor };
    },
  };
}

const DAY_MS = 86_400_000;

export function usageHandler({ ledger, now }: Rail) {
  return {
    async handle({ caller, query }: RequestContext<typeof getWalletUsage, Caller>, errors: ValidationErrors) {
      const { from, to } = readPeriod(query, errors, now());
      errors.refuse();
      const tokenId = await readToken(ledger, caller, query.token);
      const sums = await ledger.usage(walletOf(caller).id, { from, to: to + DAY_MS, by: query.by ?? "day", tokenId });
      const items = sums.map(({ bucket, decisions, amountMicro }) => ({
        bucket,
        decisions,
        amount_micro: amountMicro,
      }));
      return { items };
    },
  };
}

/** Both days are inclusive. `to` defaults to today (UTC), `from` to the first of the month of `to`. */
function readPeriod(query: QueryOf<typeof getWalletUsage>, errors: ValidationErrors, now: number) {
  const today = new Date(now).toISOString().slice(0, 10);
  const lastDay = query.to ?? today;
  const firstDay = query.from ?? `${lastDay.slice(0, 7)}-01`;
  const [from, to] = [Date.parse(firstDay), Date.parse(lastDay)];
  const days = (to - from) / DAY_MS + 1;
  if (days < 1)
    errors.add({
      path: "?to",
      reason: "before_from",
      message: `\`to\` is the last day and must not be before ${firstDay}.`,
    });
  const { by = "day" } = query;
  const most = USAGE_DAYS_MAX[by] ?? USAGE_DAYS_MAX.day;
  if (days > most) {
    const message = `With \`by=${by}\`, the period must not exceed ${most} days, got ${days}.`;
    errors.add({ path: "?from", reason: "too_long", message });
  }
  return { from, to };
}
