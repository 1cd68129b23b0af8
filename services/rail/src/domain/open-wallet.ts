import type { StarterPolicy, StarterOutcome } from "./ledger.ts";
import type { Rail } from "./rail.ts";

export interface WalletAsk {
  readonly email: string;
  readonly label?: string;
  /** The result of `networkName`. */
  readonly network: string;
  readonly judge: StarterPolicy;
}

interface Opening extends Pick<Rail, "access" | "emails" | "context" | "newId"> {
  readonly ledger: Pick<Rail["ledger"], "createWallet">;
}

export interface OpenedWallet extends StarterOutcome {
  readonly token: string;
}

export async function openWallet(
  { access, emails, ledger, context, newId }: Opening,
  { email, label, network, judge }: WalletAsk,
): Promise<OpenedWallet> {
  const id = newId("wal_");
  const { token, hash, hint } = access.mint();
  const outcome = await ledger.createWallet(
    {
      id,
      label: label ?? null,
      emailSealed: emails.seal(email, id),
      emailLookup: emails.lookup(email),
      tokenHash: hash,
      tokenHint: hint,
      network,
      judgeStarter: judge,
    },
    context(),
  );
  return { ...outcome, token };
}
