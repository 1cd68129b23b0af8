/** `audit`: audits the whole ledger and compares it with an anchor. */
import type { Client } from "@triptych/client";
import { adminAudit } from "@triptych/contracts";
import { renderTable } from "@triptych/server";
import type { PublishedKey } from "../domain/verify-signed.ts";
import { anchorExists, checkAnchor, publishedKeys, writeAnchor } from "./anchor.ts";
import { say, widthOf, type Output } from "./cli-context.ts";

/** Returns the number of violations. */
export async function auditLedger(client: Client, stdout: Output): Promise<number> {
  const { body } = await client.call(adminAudit, {});
  say(stdout, `${body.transfers} transfers, ${body.entries} entries, ${body.receipts} receipts were checked.`);
  if (body.ok) say(stdout, "Everything agrees.");
  if (body.ok) return 0;
  const rows = body.violations.map(({ invariant, subject, message }) => [invariant, subject, message]);
  say(stdout, renderTable({ heads: ["law", "of", "what is wrong"], rows }, widthOf(stdout)));
  return body.violations.length;
}

interface AnchorOrder {
  readonly file: string;
  readonly write: boolean;
  /** No anchor is written for a ledger that fails the audit. */
  readonly isSound: boolean;
  /** Undefined: the rail's published keys. */
  readonly keys: readonly PublishedKey[] | undefined;
  readonly stdout: Output;
}

/** An anchor that does not match is evidence and is never replaced. */
export async function auditAnchor(client: Client, { file, write, isSound, keys, stdout }: AnchorOrder): Promise<void> {
  const exists = await anchorExists(file);
  if (exists) {
    const { wallets, newest, faults } = await checkAnchor(client, file, keys ?? (await publishedKeys(client)));
    if (faults.length > 0) {
      const rows = faults.map(({ walletId, message }) => [walletId, message]);
      say(stdout, renderTable({ heads: ["wallet", "what is wrong"], rows }, widthOf(stdout)));
      throw new Error(
        `The ledger lacks what ${file} proves of ${faults.length} wallets: it was cut, rolled back or changed.`,
      );
    }
    say(stdout, `The ledger holds everything that ${file} proves: ${wallets} wallets, entries until ${newest ?? "-"}.`);
  }
  if (!isSound || (exists && !write)) return;
  say(stdout, `${await writeAnchor(client, file)} heads were written to ${file}. Keep it on another machine.`);
}
