/** Creates two demo accounts on an empty store, outside production. Later starts keep their secrets and refresh URL and keys. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlanId } from "@triptych/contracts";
import { readCredentialsFile, writeCredentials } from "@triptych/server";
import { lockCredentials } from "@triptych/storage";
import { openAccount } from "../domain/open-account.ts";
import type { Panel } from "../domain/panel.ts";
import type { AccountRecord } from "../domain/records.ts";

export interface DemoAccount {
  readonly email: string;
  readonly password?: string;
  readonly access_token: string;
  readonly license_key: string;
}

export interface DemoAccounts {
  /** The account `pro`, owner of the demo and the embedded worker. Null if an earlier start created the accounts. */
  readonly owner: AccountRecord | null;
  readonly accounts: Readonly<Record<string, DemoAccount>>;
  readonly areNew: boolean;
}

const DEMO: readonly (readonly [plan: PlanId, email: string])[] = [
  ["pro", "owner@example.test"],
  ["free", "free@example.test"],
];

type LocalPanel = Omit<Panel, "url">;

/**
 * Runs before listening. Writes the password to the file before the store, so that a killed start can be resumed and no account lacks a
 * known password.
 */
export async function makeDemoAccounts(dataFolder: string, panel: LocalPanel): Promise<DemoAccounts> {
  await using _lock = await lockCredentials(dataFolder);
  const stored = await readCredentialsFile(dataFolder, "panel");
  const areNew = await panel.store.system.isEmpty();
  const passwordOf = (plan: string) => storedValue(stored, plan, "password") ?? (areNew ? newPassword(panel) : null);
  const demo = DEMO.map(([plan, email]) => ({ plan, email, password: passwordOf(plan) }));
  if (areNew) await writeCredentials(dataFolder, "panel", { ...stored, ...passwordsOf(demo) });
  const accounts: Record<string, DemoAccount> = {};
  let owner: AccountRecord | null = null;
  for (const { plan, email, password } of demo) {
    const { system } = panel.store;
    const isMissing = password !== null && (await system.byEmail(email)) === null;
    const made = isMissing ? await openAccount(panel, { email, plan, password }) : null;
    const account = (await system.byEmail(email))?.account;
    if (account === undefined) continue;
    if (plan === "pro") owner = account;
    accounts[plan] = {
      email,
      ...(password !== null && { password }),
      access_token: await reuseToken(
        panel,
        account.id,
        made?.access_token ?? storedValue(stored, plan, "access_token"),
      ),
      license_key: await presentKey(panel, account.id),
    };
  }
  return { owner, accounts, areNew };
}

const LINK_MS = 15 * 60_000;

/** The fragment of a one-time sign-in link, valid for 15 minutes. */
export async function makeSignInToken(panel: LocalPanel, owner: string): Promise<string> {
  const { store, secrets, random, now } = panel;
  const token = Buffer.from(random(32)).toString("base64url");
  const link = { hash: secrets.hash(token), expiresAt: now() + LINK_MS };
  await store.change(owner, ({ account }) => account.addLink(link));
  return token;
}

/** Writes the link to a file, because output may be a log. Returns the path; only the owner can read the file. */
export async function writeSignInLink(dataFolder: string, link: string): Promise<string> {
  const path = join(dataFolder, "sign-in-link.txt");
  // `mode` applies only when a file is created.
  await rm(path, { force: true });
  await writeFile(path, `${link}\n`, { mode: 0o600, flag: "wx" });
  return path;
}

export async function writePanelCredentials(dataFolder: string, url: string, demo: DemoAccounts): Promise<void> {
  await using _lock = await lockCredentials(dataFolder);
  await writeCredentials(dataFolder, "panel", { url, ...demo.accounts });
}

export async function presentKey({ store, seal }: Pick<LocalPanel, "store" | "seal">, owner: string): Promise<string> {
  const { sealed } = await store.of(owner).license.read();
  return seal.open(sealed, owner).toString();
}

function newPassword({ random }: LocalPanel): string {
  return Buffer.from(random(18)).toString("base64url");
}

function passwordsOf(
  demo: readonly { readonly plan: string; readonly email: string; readonly password: string | null }[],
) {
  return Object.fromEntries(demo.map(({ plan, email, password }) => [plan, { email, password }]));
}

function storedValue(section: Readonly<Record<string, unknown>> | null, plan: string, name: string): string | null {
  const account = section?.[plan];
  const value: unknown = typeof account === "object" && account !== null ? Reflect.get(account, name) : null;
  return typeof value === "string" ? value : null;
}

/** The token of an earlier start if it is still valid for this account, otherwise a new one. */
async function reuseToken(panel: LocalPanel, owner: string, token: string | null): Promise<string> {
  const { store, secrets, newId, now } = panel;
  const existing = token === null ? null : await store.system.byToken(secrets.hash(token));
  if (token !== null && existing?.account.id === owner) return token;
  const made = secrets.mintAccessToken();
  await store.change(owner, ({ tokens }) =>
    tokens.add({
      id: newId("tok"),
      hash: secrets.hash(made),
      name: "credentials.json",
      scopes: ["read", "write", "admin"],
      createdAt: now(),
      expiresAt: null,
    }),
  );
  return made;
}
