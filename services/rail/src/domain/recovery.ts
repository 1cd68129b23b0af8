/** Email flows: starter credit after verifying an address, and a new token to replace a lost one. */
import type { MintedToken } from "./access.ts";
import { recoveryEmail, verificationEmail } from "./email-templates.ts";
import type { OpenedWallet } from "./open-wallet.ts";
import type { CodeUse } from "./one-time-codes.ts";
import type { Rail } from "./rail.ts";
import { judgeStarter } from "./starter-credit.ts";
import type { StarterOutcome } from "./ledger.ts";

const OFFERED = 20;

export function mailVerification({ mailer, codes, url }: Rail, { wallet, starter }: OpenedWallet, email: string): void {
  if (mailer === null || starter !== "pending_verification") return;
  mailer.send(verificationEmail(url(), email, { wallet, code: codes.make("verify", wallet.id) }));
}

/** Minimum interval between two emails to an address, for all callers together. */
const QUIET_MS = 5 * 60_000;

/** Only the owner of the mailbox learns whether an email was sent. */
export async function mailRecovery({ mailer, ledger, emails, codes, now, url }: Rail, email: string): Promise<void> {
  if (mailer === null) return;
  const lookup = emails.lookup(email);
  const quiet = { name: `recovery ${lookup}`, payload: "", now: now(), expiresAt: now() + QUIET_MS };
  if ((await ledger.once(quiet, () => Promise.resolve("told"))).kind !== "first") return;
  const wallets = await ledger.walletsOfEmail(lookup, OFFERED);
  const open = wallets.filter(({ status, emailSealed }) => status !== "closed" && emailSealed !== null);
  if (open.length === 0) return;
  const links = open.map((wallet) => ({ wallet, code: codes.make("recover", wallet.id) }));
  // Send to the stored spelling, because another person may have requested it with a different one.
  const [{ id, emailSealed }] = open;
  if (emailSealed !== null) mailer.send(recoveryEmail(url(), emails.open(emailSealed, id), links));
}

/**
 * Issues a new token and revokes the old ones immediately, because a lost token may be anywhere. Null if the wallet was
 * closed after the email was sent.
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
