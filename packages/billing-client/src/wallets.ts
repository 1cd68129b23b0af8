/**
 * Wallet cache. A positive result is valid for one second. Rejections are never cached or shared with later calls,
 * because a top-up must take effect on the next call.
 */
import type { BillingTransport, ResolvedWallet } from "./transport.ts";

const FRESH_MS = 1000;

export interface WalletsOptions {
  readonly transport: Pick<BillingTransport, "resolve">;
  readonly now: () => number;
  readonly priceMicro: number;
  /** Maximum number of cached wallets; the least recently resolved one is evicted first. */
  readonly size: number;
}

export interface Wallets {
  /** Null if no open wallet has this token. Rejects if the rail does not respond. */
  resolve(walletHash: string): Promise<ResolvedWallet | null>;
  /** Updates the balance after a charge; pass null if the charge was rejected. */
  learn(walletHash: string, left: { readonly balanceMicro: number; readonly spendableMicro: number } | null): void;
}

export function createWallets({ transport, now, priceMicro, size }: WalletsOptions): Wallets {
  const cached = new Map<string, { readonly wallet: ResolvedWallet; readonly at: number }>();
  const asking = new Map<string, Promise<ResolvedWallet | null>>();

  return {
    async resolve(walletHash) {
      const fresh = cached.get(walletHash);
      if (fresh !== undefined && now() - fresh.at < FRESH_MS) return fresh.wallet;
      const question = asking.get(walletHash);
      const shared = question === undefined ? null : await question.catch(() => null);
      return shared !== null && allows(shared) ? shared : ask(walletHash);
    },
    learn(walletHash, left) {
      const before = cached.get(walletHash);
      if (before === undefined) return;
      const { balanceMicro, spendableMicro } = left ?? { balanceMicro: 0, spendableMicro: 0 };
      const wallet = { ...before.wallet, balance_micro: balanceMicro, spendable_micro: spendableMicro };
      if (allows(wallet)) cached.set(walletHash, { wallet, at: before.at });
      else cached.delete(walletHash);
    },
  };

  async function ask(walletHash: string): Promise<ResolvedWallet | null> {
    const at = now();
    const question = transport.resolve(walletHash);
    asking.set(walletHash, question);
    try {
      const wallet = await question;
      if (wallet !== null && allows(wallet)) keep(walletHash, { wallet, at });
      return wallet;
    } finally {
      if (asking.get(walletHash) === question) asking.delete(walletHash);
    }
  }

  function keep(walletHash: string, found: { readonly wallet: ResolvedWallet; readonly at: number }): void {
    cached.delete(walletHash);
    cached.set(walletHash, found);
    const [oldest] = cached.keys();
    if (cached.size > size && oldest !== undefined) cached.delete(oldest);
  }

  function allows(wallet: ResolvedWallet): boolean {
    return wallet.status === "active" && wallet.spendable_micro >= priceMicro;
  }
}
