/**
 * Tells the owner of a wallet, once, that a charge has taken it below the level he chose. A charge says what it left and what it took,
 * so it alone knows that it crossed the level. Levels are remembered for some seconds: a wallet that is charged a thousand times a
 * second must not be read a thousand times.
 */
import type { LedgerCharge } from "./unit-of-work.ts";
import type { WalletRecord } from "./ledger.ts";
import { lowBalanceLetter } from "./email-templates.ts";
import type { Rail } from "./rail.ts";

/** A wallet that goes up and down around its level is told once a day. */
const SILENT_MS = 24 * 3_600_000;
/** A level that is changed in this process counts at once; other processes go by the old one for so long. */
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
    // What was read beside a change may be the old level.
    if (changes !== changesBefore) return micro;
    if (levels.size >= REMEMBERED_MOST) levels.clear();
    levels.set(walletId, { micro, until: now() + REMEMBERED_MS });
    return micro;
  }

  /** Of several processes one sends it. */
  async function isFirst({ id }: WalletRecord): Promise<boolean> {
    const name = `low balance ${id}`;
    const once = { name, payload: "", now: now(), expiresAt: now() + SILENT_MS };
    const state = await ledger.once(once, () => Promise.resolve("told"));
    return state.kind === "first";
  }
}
