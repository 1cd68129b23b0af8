import type { WalletRecord } from "../domain/ledger.ts";

export type Caller =
  | { readonly kind: "wallet"; readonly wallet: WalletRecord; readonly tokenHash: string }
  /** An expired token may still request the stored response of its own call. */
  | { readonly kind: "past_token"; readonly tokenHash: string }
  | { readonly kind: "service" }
  | { readonly kind: "operator" };

export function walletOf(caller: Caller): WalletRecord {
  if (caller.kind !== "wallet") throw new Error(`a ${caller.kind} credential reached a wallet endpoint`);
  return caller.wallet;
}
