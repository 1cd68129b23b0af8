/**
 * Email texts. Codes are in the fragment of a link, which browsers do not send. Texts from callers, such as labels, are
 * never included: anyone can create a wallet with another person's address, and could write to that person in the
 * operator's name.
 */
import type { AutoTopupSetting } from "./auto-topup.ts";
import type { CapName } from "@triptych/contracts";
import type { WalletRecord } from "./ledger.ts";
import type { LedgerTopup } from "./topup-state.ts";
import type { Mail } from "./email.ts";
import { CODE_HOURS } from "./one-time-codes.ts";

export interface Linked {
  readonly wallet: Pick<WalletRecord, "id" | "createdAt">;
  readonly code: string;
}

export function verificationEmail(url: string, to: string, { wallet, code }: Linked): Mail {
  return {
    to,
    subject: "Your starter credit",
    text: [
      `A wallet was created with this email address: ${wallet.id}.`,
      "If this was you, open this link to receive the starter credit:",
      "",
      linkTo(url, "verify", code),
      "",
      `The link works once and expires after ${CODE_HOURS} hours. If this was not you, ignore this email.`,
      "",
    ].join("\n"),
  };
}

export function recoveryEmail(url: string, to: string, links: readonly Linked[]): Mail {
  return {
    to,
    subject: "A new token for your wallet",
    text: [
      "New tokens were requested for the wallets of this email address. Each link creates a new token for one wallet and revokes the old one:",
      "",
      ...links.flatMap(({ wallet, code }) => [
        `${wallet.id}, created on ${dayOf(wallet)}`,
        linkTo(url, "recover", code),
        "",
      ]),
      `Each link works once and expires after ${CODE_HOURS} hours. If this was not you, ignore this email: the old tokens stay valid.`,
      "",
    ].join("\n"),
  };
}

export function lowBalanceEmail(url: string, to: string, wallet: Linked["wallet"], balanceMicro: number): Mail {
  return {
    to,
    subject: "Your wallet balance is low",
    text: [
      `The balance of ${wallet.id} is ${(balanceMicro / 1_000_000).toFixed(4)} EUR, below your low-balance threshold.`,
      "",
      `Top up on ${url}/wallet or with POST ${url}/v1/topup.`,
      "",
    ].join("\n"),
  };
}

/** Sent for every change, because someone who has the token could otherwise charge the owner's card unnoticed. */
export function autoTopupChangedEmail(url: string, to: string, changed: ChangedAutoTopup): Mail {
  const { walletId, setting } = changed;
  const what =
    setting === null
      ? `Automatic top-up of ${walletId} was switched off. Its payment method is no longer used.`
      : `Automatic top-up of ${walletId} was set: ${inEuros(setting.amountMicro)} EUR when the balance falls below ${inEuros(setting.thresholdMicro)} EUR, at most ${setting.maxPerMonth} times a month.`;
  return {
    to,
    subject: "Automatic top-up changed",
    text: [what, "", `If this was not you, rotate the wallet's token on ${url}/wallet.`, ""].join("\n"),
  };
}

export interface ChangedAutoTopup {
  readonly walletId: string;
  readonly setting: AutoTopupSetting | null;
}

function inEuros(micro: number): string {
  return (micro / 1_000_000).toFixed(2);
}

export function autoTopupStoppedEmail(url: string, to: string, topup: LedgerTopup): Mail {
  return {
    to,
    subject: "Automatic top-up stopped",
    text: [
      `The automatic top-up ${topup.id} of ${inEuros(topup.amountMicro)} EUR for ${topup.walletId} ${OUTCOME[topup.state] ?? "failed"}. No further top-ups are made automatically.`,
      "",
      `Top up on ${url}/wallet, which also saves another payment method, and switch automatic top-up on again there.`,
      "",
    ].join("\n"),
  };
}

const OUTCOME: Readonly<Partial<Record<LedgerTopup["state"], string>>> = {
  review: "waits for the operator because the amount differs",
  refunded: "was refunded",
  disputed: "was disputed",
};

export interface PassedThreshold {
  readonly cap: CapName;
  readonly percent: number;
  readonly limitMicro: number;
  readonly spentMicro: number;
  /** Null for the wallet's own caps. */
  readonly tokenId: string | null;
  readonly resetsAt: number | null;
}

const WINDOWS = { per_charge: "per decision", per_day: "daily", per_month: "monthly", total: "total" } as const;

/** Identifies the token by its ID, because its name is a caller's text. */
export function capAlertEmail(
  url: string,
  to: string,
  { wallet, passed }: { readonly wallet: Pick<WalletRecord, "id">; readonly passed: PassedThreshold },
): Mail {
  const { cap, percent, limitMicro, spentMicro, tokenId, resetsAt } = passed;
  const owner = tokenId === null ? wallet.id : `the token ${tokenId} of ${wallet.id}`;
  const euros = (micro: number) => `${(micro / 1_000_000).toFixed(4)} EUR`;
  const reset = resetsAt === null ? "It does not reset." : `It resets at ${new Date(resetsAt).toISOString()}.`;
  return {
    to,
    subject: percent === 100 ? "A spending cap is reached" : `${percent} % of a spending cap is used`,
    text: [
      `${euros(spentMicro)} of the ${WINDOWS[cap]} cap of ${euros(limitMicro)} of ${owner} are spent. ${reset}`,
      "",
      `Change caps on ${url}/wallet or with PATCH ${url}/v1/wallets/me.`,
      "",
    ].join("\n"),
  };
}

/** Helps to distinguish the wallets of one address. */
function dayOf({ createdAt }: Linked["wallet"]): string {
  return new Date(createdAt).toISOString().slice(0, 10);
}

function linkTo(url: string, purpose: string, code: string): string {
  return `${url}/wallet/link#${purpose}=${code}`;
}
