import type { Client } from "@triptych/client";
import { adminAudit } from "@triptych/contracts";
import { renderTable } from "@triptych/server";
import type { PublishedKey } from "../domain/verify-signed.ts";
import { anchorExists, checkAnchor, publishedKeys, writeAnchor } from "./anchor.ts";
import { say, widthOf, type Output } from "./cli-context.ts";

/** Returns the number of violations. */
export async function auditLedger(client: Client, stdout: Output): Promise<number> {
  const { body } = await client.call(adminAudit, {});
  say(stdout, `${body.transfers} transfers, ${body.entries} entries, ${body.receipts} receipts checked.`);
  if (body.ok) say(stdout, "No violations found.");
  if (body.ok) return 0;
  const rows = body.violations.map(({ invariant, subject, message }) => [invariant, subject, message]);
  say(stdout, renderTable({ heads: ["invariant", "subject", "problem"], rows }, widthOf(stdout)));
  return body.violations.length;
}

interface AnchorOptions {
  readonly file: string;
  readonly write: boolean;
  /** No anchor is written for a ledger that fails the audit. */
  readonly isIntact: boolean;
  /** Undefined: the rail's published keys. */
  readonly keys: readonly PublishedKey[] | undefined;
  readonly stdout: Output;
}

/** An anchor that does not match is evidence and is never replaced. */
export async function auditAnchor(
  client: Client,
  { file, write, isIntact, keys, stdout }: AnchorOptions,
): Promise<void> {
  const exists = await anchorExists(file);
  if (exists) {
    const { wallets, newest, issues } = await checkAnchor(client, file, keys ?? (await publishedKeys(client)));
    if (issues.length > 0) {
      const rows = issues.map(({ walletId, message }) => [walletId, message]);
      say(stdout, renderTable({ heads: ["wallet", "problem"], rows }, widthOf(stdout)));
      throw new Error(
        `The ledger contradicts ${file} for ${issues.length} wallets: it was truncated, rolled back or modified.`,
      );
    }
    say(stdout, `The ledger matches ${file}: ${wallets} wallets, entries up to ${newest ?? "-"}.`);
  }
  if (!isIntact || (exists && !write)) return;
  say(stdout, `${await writeAnchor(client, file)} chain heads written to ${file}. Store the file on another machine.`);
}
