/** The audit reads everything, so only one runs at a time; concurrent requests share its report. */
import type { adminAudit, adminCheckAnchor, adminReadAnchor } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { AuditReport } from "../../domain/audit.ts";
import type { Rail } from "../../domain/rail.ts";
import { receiptErrorUnder } from "../../domain/receipt-error.ts";
import type { Caller } from "../identify.ts";
import { ANCHOR_HEADS_MAX, anchorClaims, compareHeads, formatHead, parseHead } from "../../domain/anchor.ts";

export function adminAuditHandler({ ledger, keys }: Rail) {
  let running: Promise<AuditReport> | null = null;
  return (_context: RequestContext<typeof adminAudit, Caller>): Promise<AuditReport> => {
    running ??= ledger.audit({ receiptError: receiptErrorUnder(keys) }).finally(() => (running = null));
    return running;
  };
}

export function adminReadAnchorHandler({ ledger, keys, now, url }: Rail) {
  return async ({ query }: RequestContext<typeof adminReadAnchor, Caller>) => {
    const { after = "" } = query;
    const heads = await ledger.headsAfter(after, ANCHOR_HEADS_MAX + 1);
    const page = heads.slice(0, ANCHOR_HEADS_MAX);
    const next = heads.length > page.length ? (page.at(-1)?.walletId ?? null) : null;
    const { newestEntryAt } = await ledger.readTime();
    const lines = page.map(formatHead);
    const claims = anchorClaims({ issuer: url(), at: now(), after, next, newestEntryAt, heads: lines });
    return { page: await keys.signAnchor(claims), heads: lines, next };
  };
}

export function adminCheckAnchorHandler({ ledger }: Rail) {
  return async ({ body }: RequestContext<typeof adminCheckAnchor, Caller>) => {
    const heads = body.heads.map(parseHead);
    const issues = compareHeads(heads, await ledger.entriesAt(heads));
    return {
      ok: issues.length === 0,
      issues: issues.map(({ walletId, message }) => ({ wallet_id: walletId, message })),
    };
  };
}
