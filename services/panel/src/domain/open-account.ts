/** Creates an account with a password, a license key and an access token. Only this call returns them in clear text. */
import type { PlanId } from "@triptych/contracts";
import { mintLicenseKey } from "./license-key.ts";
import type { Panel } from "./panel.ts";

export interface OpenedAccount {
  readonly account_id: string;
  readonly email: string;
  readonly password: string;
  readonly access_token: string;
  readonly license_key: string;
  readonly plan: PlanId;
}

export interface CreateAccountInput {
  readonly email: string;
  readonly plan: PlanId;
  readonly password: string | null;
}

/** Null if the email already has an account. */
export async function openAccount(panel: AccountMaker, input: CreateAccountInput): Promise<OpenedAccount | null> {
  const { store, seal, passwords, secrets, random, newId, now } = panel;
  const [id, at] = [newId("acc"), now()];
  const email = normalizeEmail(input.email);
  const password = input.password ?? Buffer.from(random(18)).toString("base64url");
  const [accessToken, licenseKey] = [secrets.mintAccessToken(), mintLicenseKey(random)];
  const isNew = await store.system.createAccount({
    account: { id, email, plan: input.plan, status: "active", createdAt: at },
    password: await passwords.hash(password),
    license: { hash: secrets.hash(licenseKey), sealed: seal.seal(licenseKey, id), generation: 1, rotatedAt: null },
    token: {
      id: newId("tok"),
      hash: secrets.hash(accessToken),
      name: "first token",
      scopes: ["read", "write", "admin"],
      createdAt: at,
      expiresAt: null,
    },
  });
  if (!isNew) return null;
  return { account_id: id, email, password, access_token: accessToken, license_key: licenseKey, plan: input.plan };
}

export type AccountMaker = Pick<Panel, "store" | "seal" | "passwords" | "secrets" | "random" | "newId" | "now">;

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
