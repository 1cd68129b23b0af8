/**
 * Mail texts. Codes are in the fragment of a link, which browsers do not send. No text from callers, labels included:
 * anyone can create a wallet with another person's address and would write to that person in our name.
 */
import type { WalletRecord } from "./ledger.ts";
import type { Mail } from "./mailer.ts";
import { CODE_HOURS } from "./one-time-codes.ts";

export interface Linked {
  readonly wallet: Pick<WalletRecord, "id" | "createdAt">;
  readonly code: string;
}

export function verificationLetter(url: string, to: string, { wallet, code }: Linked): Mail {
  return {
    to,
    subject: "Your starter credit",
    text: [
      `Somebody made a wallet with this address: ${wallet.id}.`,
      "If that was you, this link credits it with what new wallets start with:",
      "",
      linkTo(url, "verify", code),
      "",
      `It is good once, for ${CODE_HOURS} hours. If it was not you, do nothing.`,
      "",
    ].join("\n"),
  };
}

export function recoveryLetter(url: string, to: string, links: readonly Linked[]): Mail {
  return {
    to,
    subject: "A new token for your wallet",
    text: [
      "Somebody asked for new tokens of the wallets of this address. Each link gives one wallet a new token and ends its old one:",
      "",
      ...links.flatMap(({ wallet, code }) => [
        `${wallet.id}, made on ${dayOf(wallet)}`,
        linkTo(url, "recover", code),
        "",
      ]),
      `Each is good once, for ${CODE_HOURS} hours. If it was not you, do nothing: the old tokens stay good.`,
      "",
    ].join("\n"),
  };
}

export function lowBalanceLetter(url: string, to: string, wallet: Linked["wallet"], balanceMicro: number): Mail {
  return {
    to,
    subject: "Your wallet is running low",
    text: [
      `${wallet.id} holds ${(balanceMicro / 1_000_000).toFixed(4)} EUR, less than the level at which you wanted to know.`,
      "",
      `Top it up: POST ${url}/v1/topup, or on ${url}/wallet`,
      "",
    ].join("\n"),
  };
}

/** Distinguishes the wallets of one address. */
function dayOf({ createdAt }: Linked["wallet"]): string {
  return new Date(createdAt).toISOString().slice(0, 10);
}

function linkTo(url: string, purpose: string, code: string): string {
  return `${url}/wallet/link#${purpose}=${code}`;
}
