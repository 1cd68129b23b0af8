/**
 * On the first start outside production, creates the operator's token and a trial wallet in `credentials.json`. Later
 * starts update the address and keep valid credentials.
 */
import { generateKey, parseKey } from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import { readCredentialsFile, writeCredentials } from "@triptych/server";
import { lockCredentials } from "@triptych/storage";
import { ADMIN_FORM } from "./access.ts";
import { openWallet } from "./domain/open-wallet.ts";
import type { Rail } from "./domain/rail.ts";

/** The operator's token from `credentials.json`, or a new one. */
export async function loadAdminToken(dataFolder: string, random: RandomSource): Promise<string> {
  await using _lock = await lockCredentials(dataFolder);
  const credentials = await readCredentialsFile(dataFolder, "rail");
  const stored = credentials?.["admin_token"];
  if (typeof stored === "string" && parseKey(stored, [ADMIN_FORM]) !== undefined) return stored;
  const made = generateKey(ADMIN_FORM, random);
  await writeCredentials(dataFolder, "rail", { ...credentials, admin_token: made });
  return made;
}

export interface Tokens {
  readonly adminToken: string;
  readonly serviceToken: string;
}

/** Called when the service listens and its address is known. Creates a trial wallet in test mode only. */
export async function writeRailCredentials(dataFolder: string, rail: Rail, tokens: Tokens): Promise<void> {
  await using _lock = await lockCredentials(dataFolder);
  const credentials = await readCredentialsFile(dataFolder, "rail");
  const demo = rail.mode === "test" ? await demoWallet(rail, credentials?.["demo_wallet_token"]) : null;
  await writeCredentials(dataFolder, "rail", {
    url: rail.url(),
    admin_token: tokens.adminToken,
    service_token: tokens.serviceToken,
    ...(demo !== null && { demo_wallet_token: demo }),
  });
}

async function demoWallet(rail: Rail, stored: unknown): Promise<string | null> {
  if (typeof stored === "string" && (await rail.access.wallet(stored)) !== null) return stored;
  // A damaged ledger is read-only.
  if (rail.integrity.issue() !== null) return null;
  const input = { email: "demo@example.test", label: "demo", network: "demo", judge: () => "granted" as const };
  return (await openWallet(rail, input)).token;
}
