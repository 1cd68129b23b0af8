import type { Access } from "./access.ts";
import type { BatchOutcome, GatewayBatch } from "./charge-batch.ts";
import type { Emails, Mail, Mailer } from "./email.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Integrity } from "./integrity.ts";
import type { Ledger, StoreMode } from "./ledger.ts";
import type { LedgerClock } from "./ledger-clock.ts";
import type { Context } from "./post-entry.ts";
import type { PriceList } from "./price-list.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import type { SigningKeys } from "./signing-keys.ts";
import type { TopUps } from "./topup-service.ts";

export interface Rail {
  readonly mode: StoreMode;
  readonly ledger: Ledger;
  readonly integrity: Integrity;
  /** Concurrent batches share a commit. */
  readonly applyBatch: (batch: GatewayBatch) => Promise<BatchOutcome>;
  readonly topUps: TopUps;
  readonly access: Access;
  readonly emails: Emails;
  readonly idempotency: Idempotency;
  readonly codes: OneTimeCodes;
  readonly prices: PriceList;
  readonly keys: SigningKeys;
  readonly mailer: Mailer | null;
  /** No effect if no mailer is configured or the address cannot be decrypted. */
  readonly mailOwner: (walletId: string, letter: (to: string) => Mail) => Promise<void>;
  readonly clock: LedgerClock;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly context: () => Context;
  /** Pseudonym of an address's network. */
  readonly networkName: (address: string) => string;
  readonly url: () => string;
}
