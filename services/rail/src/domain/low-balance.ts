/**
 * Reacts to a charge that takes the balance below a level: an email to the owner, or an automatic top-up. Levels are
 * cached for seconds, so that a wallet with a thousand charges per second is not read a thousand times.
 */
import type { LedgerCharge } from "./unit-of-work.ts";
import type { WalletRecord } from "./ledger.ts";
import { lowBalanceEmail } from "./email-templates.ts";
import type { Rail } from "./rail.ts";

/** A balance that moves around the level causes at most one email per day. */
const SILENT_MS = 24 * 3_600_000;
/** A change in this process applies immediately; other processes use the cached level for this long. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MOST = 10_000;

export interface BalanceWatch {
  charged(charge: LedgerCharge): Promise<void>;
  levelChanged(walletId: string): void;
}

type Watching = Pick<Rail, "ledger" | "emails" | "mailer" | "now" | "url">;

export function watchLowBalance({ ledger, emails, mailer, now, url }: Watching): BalanceWatch {
  const levels = createLevels(async (id) => (await ledger.wallet(id))?.lowBalanceMicro ?? 0, now);

  return {
    async charged(charge) {
      if (mailer === null || !crosses(charge, await levels.of(charge.walletId))) return;
      const wallet = await ledger.wallet(charge.walletId);
      if (wallet === null || wallet.emailSealed === null || !(await isFirst(wallet))) return;
      const to = emails.open(wallet.emailSealed, wallet.id);
      mailer.send(lowBalanceEmail(url(), to, wallet, charge.balanceAfterMicro));
    },
    levelChanged: levels.changed,
  };

  /** Only one process sends the mail. */
  async function isFirst({ id }: WalletRecord): Promise<boolean> {
    const name = `low balance ${id}`;
    const once = { name, payload: "", now: now(), expiresAt: now() + SILENT_MS };
    const state = await ledger.once(once, () => Promise.resolve("told"));
    return state.kind === "first";
  }
}

/** `topUps.topUpDue` finds wallets that are already below their threshold, or whose process died after the charge. */
export function watchThresholds({ ledger, topUps, now }: Pick<Rail, "ledger" | "topUps" | "now">): BalanceWatch {
  const levels = createLevels(async (id) => {
    const auto = await ledger.autoTopup(id);
    return auto === null || auto.stopped !== null ? 0 : auto.thresholdMicro;
  }, now);

  return {
    async charged(charge) {
      if (topUps.provider.saved === null || !crosses(charge, await levels.of(charge.walletId))) return;
      await topUps.topUpAutomatically(charge.walletId);
    },
    levelChanged: levels.changed,
  };
}

function crosses({ balanceAfterMicro, amountMicro }: LedgerCharge, level: number): boolean {
  return balanceAfterMicro < level && balanceAfterMicro + amountMicro >= level;
}

function createLevels(read: (walletId: string) => Promise<number>, now: () => number) {
  const levels = new Map<string, { readonly micro: number; readonly until: number }>();
  let changes = 0;

  return {
    async of(walletId: string): Promise<number> {
      const cached = levels.get(walletId);
      if (cached !== undefined && cached.until > now()) return cached.micro;
      const changesBefore = changes;
      const micro = await read(walletId);
      // A read that raced with a change may have returned the old level.
      if (changes !== changesBefore) return micro;
      if (levels.size >= REMEMBERED_MOST) levels.clear();
      levels.set(walletId, { micro, until: now() + REMEMBERED_MS });
      return micro;
    },
    changed(walletId: string): void {
      levels.delete(walletId);
      changes += 1;
    },
  };
}
