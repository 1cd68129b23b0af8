/** The two ways back that a mail opens: to the starter credit of a verified address, and to a wallet whose token was lost. */
import type { MintedToken } from "./access.ts";
import { recoveryLetter, verificationLetter } from "./email-templates.ts";
import type { OpenedWallet } from "./open-wallet.ts";
import type { CodeUse } from "./one-time-codes.ts";
import type { Rail } from "./rail.ts";
import { judgeStarter } from "./starter-credit.ts";
import type { StarterOutcome } from "./ledger.ts";

/** Wallets of one address that are offered. */
const OFFERED = 20;

/** After a wallet was made: the link that grants its credit, where that waits for it. */
export function mailVerification({ mailer, codes, url }: Rail, { wallet, starter }: OpenedWallet, email: string): void {
  if (mailer === null || starter !== "pending_verification") return;
  mailer.send(verificationLetter(url(), email, { wallet, code: codes.make("verify", wallet.id) }));
}

/** A mailbox gets no second mail so soon, whoever asks for it from wherever. */
const QUIET_MS = 5 * 60_000;

/** Whether anything was sent is nobody's business but the mailbox's owner's. */
export async function mailRecovery({ mailer, ledger, emails, codes, now, url }: Rail, email: string): Promise<void> {
  if (mailer === null) return;
  const lookup = emails.lookup(email);
  const quiet = { name: `recovery ${lookup}`, payload: "", now: now(), expiresAt: now() + QUIET_MS };
  if ((await ledger.once(quiet, () => Promise.resolve("told"))).kind !== "first") return;
  const wallets = await ledger.walletsOfEmail(lookup, OFFERED);
  const open = wallets.filter(({ status, emailSealed }) => status !== "closed" && emailSealed !== null);
  if (open.length === 0) return;
  const links = open.map((wallet) => ({ wallet, code: codes.make("recover", wallet.id) }));
  // To the address as its owner wrote it: somebody else may have asked with another spelling.
  const [{ id, emailSealed }] = open;
  if (emailSealed !== null) mailer.send(recoveryLetter(url(), emails.open(emailSealed, id), links));
}

/**
 * A new token; the old ones end at once, because whoever lost a token does not know where it is. null: the wallet was closed after the
 * mail had left.
 */
export function recoverWallet(
  { codes, access, now }: Rail,
  code: string,
): Promise<CodeUse<({ readonly walletId: string } & MintedToken) | null>> {
  return codes.use("recover", code, async (walletId, creating) => {
    const minted = access.mint();
    const rotation = { tokenHash: minted.hash, tokenHint: minted.hint, previousUntil: now(), now: now() };
    return (await creating.rotateToken(walletId, rotation)) ? { walletId, ...minted } : null;
  });
}

export function verifyWallet(
  { codes, mode, now, context }: Rail,
  { code, network }: { readonly code: string; readonly network: string },
): Promise<CodeUse<StarterOutcome | null>> {
  return codes.use("verify", code, async (walletId, creating) => {
    const wallet = await creating.wallet(walletId);
    const emailLookup = wallet?.emailLookup ?? "";
    const judge = judgeStarter({ mode, mustVerify: false, emailLookup, network, now: now() });
    return creating.verifyStarter(walletId, judge, context());
  });
}
