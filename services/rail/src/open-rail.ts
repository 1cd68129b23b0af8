import { createHmac } from "node:crypto";
import { ulid, type RandomSource } from "@triptych/ids";
import type { RateWindows } from "@triptych/rate-limit";
import { createKeyring, createRotatingSeal, deriveKey, type Secrets } from "@triptych/encryption";
import { createAccess, type MoreTokens } from "./access.ts";
import { createEmails, type Mail, type Mailer } from "./domain/email.ts";
import { autoTopupStoppedEmail } from "./domain/email-templates.ts";
import { createIdempotency } from "./domain/idempotency.ts";
import { guardWrites, UNCHECKED, type Integrity } from "./domain/integrity.ts";
import type { Ledger, StoreMode } from "./domain/ledger.ts";
import { openLedgerClock, type LedgerClockOptions } from "./domain/ledger-clock.ts";
import { namesSecret } from "./domain/names-secret.ts";
import { networkOf } from "./domain/network.ts";
import type { PaymentProvider } from "./domain/payments.ts";
import type { Context } from "./domain/post-entry.ts";
import { createOneTimeCodes } from "./domain/one-time-codes.ts";
import { createPriceList } from "./domain/price-list.ts";
import { revenueOf } from "./domain/charge-batch.ts";
import type { Rail } from "./domain/rail.ts";
import type { AlgorithmName } from "@triptych/encryption";
import { KEY_PURPOSE, openSigningKeys } from "./domain/signing-keys.ts";
import { createTopUps } from "./domain/topup-service.ts";
import type { LedgerTopup } from "./domain/topup-state.ts";
import { createCommitQueue, type CommitQueueOptions } from "./store/commit-queue.ts";

export interface RailParts {
  readonly ledger: Ledger;
  readonly integrity?: Integrity;
  readonly windows: RateWindows;
  readonly provider: PaymentProvider;
  readonly mailer: Mailer | null;
  readonly secret: string | Secrets;
  readonly serviceToken: string;
  /** Null disables the operator endpoints. */
  readonly adminToken: string | null;
  readonly more?: MoreTokens;
  readonly process: string;
  readonly customHeadMicro: number;
  readonly algorithm: AlgorithmName;
  readonly now: () => number;
  /** Milliseconds, independent of clock changes. */
  readonly monotonic: () => number;
  readonly random: RandomSource;
  readonly url: () => string;
  readonly onCommit?: CommitQueueOptions["onCommit"];
  readonly onClockChange?: LedgerClockOptions["onChange"];
}

/** The test provider implies test wallets; all other providers handle real money. */
export function modeOf({ provider }: Pick<RailParts, "provider">): StoreMode {
  return provider.name === "test" ? "test" : "live";
}

export async function openRail(parts: RailParts): Promise<Rail> {
  const { integrity = UNCHECKED, mailer, provider, random, secret, url } = parts;
  const ledger = guardWrites(parts.ledger, integrity);
  const mode = modeOf(parts);
  await keepMode(ledger, mode);
  const { now: wall, monotonic, onClockChange: onChange } = parts;
  const clock = await openLedgerClock({ ledger, wall, monotonic, ...(onChange && { onChange }) });
  const { now, expiryTime } = clock;
  const keyring = createKeyring(secret);
  const seal = createRotatingSeal(keyring, KEY_PURPOSE, random);
  const names = await namesSecret({ ledger, keyring, random });
  const keys = await openSigningKeys({ ledger, seal, now, random, algorithm: parts.algorithm });
  const newId = (prefix: string) => ulid(prefix.slice(0, -1), now(), random);
  const revenue = revenueOf(parts.process);
  const context = (): Context => ({
    now: now(),
    expiryTime: expiryTime(),
    newId,
    issuer: url(),
    kid: keys.activeKid(),
    revenue,
  });
  const naming = deriveKey(names, "networks of callers");
  const networkName = (address: string) =>
    createHmac("sha256", naming).update(networkOf(address)).digest("hex").slice(0, 32);
  const emails = createEmails({ keyring, names, random });
  const mailOwner = async (walletId: string, letter: (to: string) => Mail) => {
    const wallet = mailer === null ? null : await ledger.wallet(walletId);
    const sealed = wallet?.emailSealed ?? null;
    // The address cannot be decrypted if the secret was lost.
    if (mailer === null || sealed === null || emails.masked(sealed, walletId) === null) return;
    mailer.send(letter(emails.open(sealed, walletId)));
  };
  const mailStopped = (topup: LedgerTopup) =>
    mailOwner(topup.walletId, (to) => autoTopupStoppedEmail(url(), to, topup));
  const queue = createCommitQueue({ ledger, context, ...(parts.onCommit && { onCommit: parts.onCommit }) });
  return {
    mode,
    ledger,
    integrity,
    applyBatch: (batch) => queue.submit(batch),
    topUps: createTopUps({ ledger, provider, context, url, onAutoTopupStopped: mailStopped }),
    access: createAccess({ ...parts, now, mode, networkName, random }),
    emails,
    mailOwner,
    idempotency: createIdempotency({ ledger, secret: names, now, expiryTime, random }),
    codes: createOneTimeCodes({ ledger, keyring, now, random }),
    prices: createPriceList(parts),
    keys,
    mailer,
    clock,
    now,
    newId,
    context,
    networkName,
    url,
  };
}

/** Test money must not become spendable as live money, or vice versa. */
async function keepMode(ledger: Pick<Ledger, "claimMode">, mode: StoreMode): Promise<void> {
  const stored = await ledger.claimMode(mode);
  if (stored === mode) return;
  const remedy = stored === "test" ? "RAIL_PROVIDER=test" : "RAIL_PROVIDER=manual or stripe";
  throw new Error(
    `The store contains ${stored}-mode wallets, but RAIL_PROVIDER selects ${mode} mode. Use ${remedy}, or another data folder or database.`,
  );
}
