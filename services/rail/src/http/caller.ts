/** Who calls, as the handlers see it. */
import type { WalletRecord } from "../domain/ledger.ts";

export type Caller =
  | { readonly kind: "wallet"; readonly wallet: WalletRecord; readonly tokenHash: string }
  /** A token that opens no wallet (any more), where an answer that was given to it may be asked for again. */
  | { readonly kind: "past_token"; readonly tokenHash: string }
  | { readonly kind: "service" }
  | { readonly kind: "operator" };

/** The wallet of an endpoint that only wallets may call. */
export function walletOf(caller: Caller): WalletRecord {
  if (caller.kind !== "wallet") throw new Error(`a ${caller.kind} reached an endpoint for wallets`);
  return caller.wallet;
}
