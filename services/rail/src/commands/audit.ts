/** `audit`: runs the ledger's own checks, and compares the ledger with an anchor file. */
import type { Client } from "@triptych/client";
import { adminAudit, type AnswerOf } from "@triptych/contracts";
import { renderTable } from "@triptych/terminal";
import type { PublishedKey } from "../domain/verify-signed.ts";
import { anchorExists, checkAnchor, publishedKeys, writeAnchor, type AnchorCheck } from "./anchor.ts";

interface AnchorOptions {
  readonly file: string;
  readonly write: boolean;
  /** Defaults to the rail's published keys. */
  readonly keys: readonly PublishedKey[] | undefined;
}

export interface AuditOptions {
  readonly anchor: AnchorOptions | null;
}

interface AnchorResult {
  readonly file: string;
  /** Null if the file is new. */
  readonly check: AnchorCheck | null;
  /** Number of chain heads written; null if the file was not replaced. */
  readonly written: number | null;
}

export interface Audit {
  readonly ledger: AnswerOf<typeof adminAudit>;
  readonly anchor: AnchorResult | null;
}

export async function audit(client: Client, { anchor }: AuditOptions): Promise<Audit> {
  const { body: ledger } = await client.call(adminAudit, {});
  return { ledger, anchor: anchor === null ? null : await auditAnchor(client, anchor, ledger.ok) };
}

/**
 * An anchor that does not match is evidence, so it is never replaced. No anchor is written for a ledger that fails the
 * audit.
 */
async function auditAnchor(
  client: Client,
  { file, write, keys }: AnchorOptions,
  isIntact: boolean,
): Promise<AnchorResult> {
  const check = (await anchorExists(file))
    ? await checkAnchor(client, file, keys ?? (await publishedKeys(client)))
    : null;
  const isReplaced = check === null || (check.issues.length === 0 && write);
  return { file, check, written: isIntact && isReplaced ? await writeAnchor(client, file) : null };
}

/** Describes the fault; null for an intact ledger. */
export function faultOf({ ledger, anchor }: Audit): string | null {
  const contradictions = anchor?.check?.issues.length ?? 0;
  if (anchor !== null && contradictions > 0)
    return `The ledger contradicts ${anchor.file} for ${contradictions} wallets: it was truncated, rolled back or modified.`;
  return ledger.ok ? null : `Ledger invariants violated: ${ledger.violations.length}.`;
}

export function auditJson({ ledger, anchor }: Audit): unknown {
  if (anchor === null) return { ...ledger, anchor: null };
  const { file, check, written } = anchor;
  const issues = check?.issues.map(({ walletId, message }) => ({ wallet_id: walletId, message })) ?? [];
  const checked = check === null ? null : { wallets: check.wallets, newest: check.newest, issues };
  return { ...ledger, anchor: { file, checked, heads_written: written } };
}

export function describeAudit({ ledger, anchor }: Audit, width: number): string {
  const rows = ledger.violations.map(({ invariant, subject, message }) => [invariant, subject, message]);
  return [
    `${ledger.transfers} transfers, ${ledger.entries} entries, ${ledger.receipts} receipts checked.`,
    ledger.ok ? "No violations found." : renderTable({ heads: ["invariant", "subject", "problem"], rows }, width),
    ...(anchor === null ? [] : describeAnchor(anchor, width)),
  ].join("\n");
}

function describeAnchor({ file, check, written }: AnchorResult, width: number): readonly string[] {
  const rows = check?.issues.map(({ walletId, message }) => [walletId, message]) ?? [];
  if (rows.length > 0) return [renderTable({ heads: ["wallet", "problem"], rows }, width)];
  return [
    ...(check === null
      ? []
      : [`The ledger matches ${file}: ${check.wallets} wallets, entries up to ${check.newest ?? "-"}.`]),
    ...(written === null ? [] : [`${written} chain heads written to ${file}. Store the file on another machine.`]),
  ];
}
