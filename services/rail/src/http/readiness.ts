/**
 * Readiness: the ledger commits a small write. The deep check also audits the ledger and requires a trusted clock. The
 * endpoint is public, so only one audit runs at a time, at most once a minute. Details are written to the log only.
 */
import type { Logger } from "pino";
import type { AuditReport } from "../domain/audit.ts";
import { jumpText } from "../domain/ledger-clock.ts";
import type { Rail } from "../domain/rail.ts";
import { receiptErrorUnder } from "../domain/receipt-error.ts";

const DAMAGED =
  "The ledger is damaged and read-only. The rail's log contains the violations; docs/rail.md explains the recovery.";

const AUDIT_EVERY_MS = 60_000;

export function readinessOf({ clock, integrity, ledger, keys, now }: Rail, logger: Logger) {
  let audited: { readonly at: number; readonly report: Promise<AuditReport> } | null = null;

  return async ({ deep }: { readonly deep: boolean }): Promise<string | null> => {
    if (integrity.issue() !== null) return DAMAGED;
    const issue = await ledger.writeError();
    if (issue !== null) {
      logger.error({ fault: issue }, "ledger is read-only");
      return "The ledger is read-only.";
    }
    if (!deep) return null;
    const jump = clock.jump();
    if (jump !== null) return `${jumpText(jump)}: \`triptych rail clock confirm\`.`;
    const { ok, violations } = await latestAudit();
    if (ok) return null;
    logger.error({ violations: violations.slice(0, 20) }, "ledger invariant violated");
    return "The audit of the ledger found violations. `triptych rail audit` lists them.";
  };

  function latestAudit(): Promise<AuditReport> {
    if (audited === null || audited.at + AUDIT_EVERY_MS <= now()) {
      const report = ledger.audit({ receiptError: receiptErrorUnder(keys) });
      report.catch(() => (audited = null));
      audited = { at: now(), report };
    }
    return audited.report;
  }
}
