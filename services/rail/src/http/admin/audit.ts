/** The audit reads everything, so one runs at a time; concurrent requests share its report. */
import type { adminAudit } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { AuditReport } from "../../domain/audit.ts";
import type { Rail } from "../../domain/rail.ts";
import { receiptErrorUnder } from "../../domain/receipt-error.ts";
import type { Caller } from "../caller.ts";

export function adminAuditHandler({ ledger, keys }: Rail) {
  let running: Promise<AuditReport> | null = null;
  return (_context: RequestContext<typeof adminAudit, Caller>): Promise<AuditReport> => {
    running ??= ledger.audit({ receiptError: receiptErrorUnder(keys) }).finally(() => (running = null));
    return running;
  };
}
