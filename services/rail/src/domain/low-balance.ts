/**
 * Mails the owner once when a charge crosses the low-balance level. Levels are cached for seconds: a wallet with a
 * thousand charges a second must not be read a thousand times.
 */
import type { LedgerCharge } from "./unit-of-work.ts";
import type { WalletRecord } from "./ledger.ts";
import { lowBalanceLetter } from "./email-templates.ts";
import type { Rail } from "./rail.ts";

/** A balance that moves around the level sends at most one mail a day. */
const SILENT_MS = 24 * 3_600_000;
/** A change in this process applies immediately; other processes use the cached level for this long. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MOST = 10_000;

export interface LowBalanceWatch {
  charged(charge: LedgerCharge): Promise<void>;
  levelChanged(walletId: string): void;
}

export function watchLowBalance({
  ledger,
  emails,
  mailer,
  now,
  url,
}: Pick<Rail, "ledger" | "emails" | "mailer" | "now" | "url">): LowBalanceWatch {
  const levels = new Map<string, { readonly micro: number; readonly until: number }>();
  let changes = 0;

  return {
    async charged({ walletId, balanceAfterMicro, amountMicro }) {
      if (mailer === null) return;
      const level = await levelOf(walletId);
      if (balanceAfterMicro >= level || balanceAfterMicro + amountMicro < level) return;
      const wallet = await ledger.wallet(walletId);
      if (wallet === null || wallet.emailSealed === null || !(await isFirst(wallet))) return;
      const to = emails.open(wallet.emailSealed, wallet.id);
      mailer.send(lowBalanceLetter(url(), to, wallet, balanceAfterMicro));
    },
    levelChanged(walletId) {
      levels.delete(walletId);
      changes += 1;
    },
  };

  async function levelOf(walletId: string): Promise<number> {
    const cached = levels.get(walletId);
    if (cached !== undefined && cached.until > now()) return cached.micro;
    const changesBefore = changes;
    const micro = (await ledger.wallet(walletId))?.lowBalanceMicro ?? 0;
    // A read that raced with a change may have the old level.
    if (changes !== changesBefore) return micro;
    if (levels.size >= REMEMBERED_MOST) levels.clear();
    levels.set(walletId, { micro, until: now() + REMEMBERED_MS });
    return micro;
  }

  /** Only one process sends the mail. */
  async function isFirst({ id }: WalletRecord): Promise<boolean> {
    const name = `low balance ${id}`;
    const once = { name, payload: "", now: now(), expiresAt: now() + SILENT_MS };
    const state = await ledger.once(once, () => Promise.resolve("told"));
    return state.kind === "first";
  }
}
