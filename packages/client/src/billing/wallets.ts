/**
 * What the gateway knows of wallets: an answer of the rail counts for a second, and only when it allows the call. Refusals are never
 * kept, nor shared with a call that came after the question was asked: a top-up helps the very next call.
 */
import type { BillingTransport, ResolvedWallet } from "./transport.ts";

const FRESH_MS = 1000;

export interface WalletsOptions {
  readonly transport: Pick<BillingTransport, "resolve">;
  readonly now: () => number;
  /** What a decision costs. */
  readonly priceMicro: number;
  /** Wallets remembered at most; the one resolved longest ago goes first. */
  readonly size: number;
}

export interface Wallets {
  /** null: no open wallet has this token. Rejects when the rail has no answer. */
  resolve(walletHash: string): Promise<ResolvedWallet | null>;
  /** A charge has told the balance; null when it was refused. */
  learn(walletHash: string, balanceMicro: number | null): void;
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
    learn(walletHash, balanceMicro) {
      const before = cached.get(walletHash);
      if (before === undefined) return;
      const wallet = { ...before.wallet, balance_micro: balanceMicro ?? 0 };
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
    return wallet.status === "active" && wallet.balance_micro >= priceMicro;
  }
}
