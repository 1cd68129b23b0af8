/** The account, its licence and tokens, and how its owner signs in. */
import { randomBytes } from "node:crypto";
import { LICENSE_BODY_BYTES, type Account } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import { Problem, type Answering } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { readLicenseWish } from "../domain/license-wish.ts";
import { mintLicenseKey } from "../domain/license-key.ts";
import type { LoginGuard } from "../domain/login-guard.ts";
import { normaliseEmail } from "../domain/open-account.ts";
import type { Panel } from "../domain/panel.ts";
import { dayOf, monthOf, PLAN_TERMS } from "../domain/plans.ts";
import type { AccountRecord, TokenRecord } from "../domain/records.ts";
import { found } from "../domain/refusal.ts";
import { mayRead, permit, type Caller } from "./caller.ts";
import { changing, refusing } from "./changing.ts";
import { cookieName, csrfTokenOf, endOf } from "./identify.ts";
import { timeOf, timeOrNull, tokenShape } from "./shapes.ts";

const mayAdminister = (caller: Caller) => permit(caller, "admin", { changes: true });

async function accountShape(panel: Panel, account: AccountRecord): Promise<Account> {
  const { runs, repos, license, workers } = panel.store.of(account.id);
  const [now, terms] = [panel.now(), PLAN_TERMS[account.plan]];
  const [month, { generation, rotatedAt }] = [monthOf(now), await license.read()];
  return {
    id: account.id,
    email: account.email,
    created_at: timeOf(account.createdAt),
    status: account.status,
    plan: {
      id: account.plan,
      features: { explore: terms.explore, parallel_runs: terms.runsAtOnce },
      limits: {
        repos: terms.repos,
        runs_per_month: terms.runsPerMonth,
        explores_per_day: terms.exploresPerDay,
        workers: terms.workers,
        memories_per_repo: terms.memoriesPerRepo,
        retention_days: terms.retentionDays,
      },
    },
    usage: {
      period_start: timeOf(month.start),
      period_end: timeOf(month.end),
      runs: await runs.countSince("maintain", month.start),
      explores_today: await runs.countSince("explore", dayOf(now).start),
      repos: await repos.count(),
    },
    license: { generation, rotated_at: timeOrNull(rotatedAt), workers_connected: await workers.countConnected() },
  };
}

export function getAccountHandler(panel: Panel): Answering<typeof contract.getAccount, Caller> {
  return ({ caller }) =>
    refusing(panel, () => {
      mayRead(caller);
      return accountShape(panel, caller.account);
    });
}

export function getLicenseHandler(panel: Panel): Answering<typeof contract.getLicense, Caller> {
  return ({ caller }) =>
    refusing(panel, async () => {
      permit(caller, "admin", { changes: false });
      const { sealed } = await panel.store.of(caller.account.id).license.read();
      return { license_key: panel.seal.open(sealed, caller.account.id).toString() };
    });
}

/** New key committed, then the broadcast, then the answer: from the commit on the old key opens nothing, whatever the broadcast does. */
export function rotateLicenseHandler(panel: Panel): Answering<typeof contract.rotateLicense, Caller> {
  return async ({ caller, body, request }) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (bytes.length > LICENSE_BODY_BYTES) throw new Problem("too_large");
    const wish = readLicenseWish({ queryValues: queryValues(request.url), body: bytes });
    if (wish.kind === "invalid_json") throw new Problem("invalid_json", { detail: wish.detail });
    const [owner, licenseKey, rotatedAt] = [caller.account.id, mintLicenseKey(panel.random), panel.now()];
    const generation = await refusing(panel, () =>
      panel.store.change(owner, async ({ license, account }) => {
        mayAdminister(caller);
        const next = (await license.read()).generation + 1;
        const sealed = panel.seal.seal(licenseKey, owner);
        await license.replace({ hash: panel.secrets.hash(licenseKey), sealed, generation: next, rotatedAt });
        await account.note({ id: panel.newId("aud"), what: "license_rotated", at: rotatedAt });
        return next;
      }),
    );
    const rotation = { owner, licenseKey, generation, rotatedAt };
    // A broken broadcast never turns a rotation into an error: nobody was told, and that is the answer.
    const told = wish.notifyWorkers ? await panel.workers.tellRotation(rotation).catch(() => 0) : 0;
    return { license_key: licenseKey, notified_workers: told > 0, notified_workers_count: told };
  };
}

/** As they were sent: neither trimmed nor split at commas. */
function queryValues(url: string): readonly string[] {
  const at = url.indexOf("?");
  return at < 0 ? [] : new URLSearchParams(url.slice(at + 1)).getAll("notify_workers");
}

export function listTokensHandler(panel: Panel): Answering<typeof contract.listTokens, Caller> {
  return ({ caller }) =>
    refusing(panel, async () => {
      permit(caller, "admin", { changes: false });
      return { items: (await panel.store.of(caller.account.id).tokens.list()).map(tokenShape) };
    });
}

const DAY_MS = 86_400_000;

export function createTokenHandler(panel: Panel): Answering<typeof contract.createToken, Caller> {
  return (exchange) =>
    changing(panel, exchange, async ({ tokens, account }) => {
      const { caller, body } = exchange;
      mayAdminister(caller);
      const [secret, at, days] = [panel.secrets.mintAccessToken(), panel.now(), body.expires_in_days];
      const expiresAt = days === undefined ? null : at + days * DAY_MS;
      const { name, scopes } = body;
      const token: TokenRecord = {
        id: panel.newId("tok"),
        hash: panel.secrets.hash(secret),
        name,
        scopes,
        createdAt: at,
        expiresAt,
      };
      await tokens.add(token);
      await account.note({ id: panel.newId("aud"), what: "token_created", at });
      return { status: 201, body: { ...tokenShape(token), token: secret } };
    });
}

export function deleteTokenHandler(panel: Panel): Answering<typeof contract.deleteToken, Caller> {
  return (exchange) =>
    changing(panel, exchange, async ({ tokens, account }) => {
      const { caller, params } = exchange;
      found((await tokens.list()).find(({ id }) => id === params.id) ?? null, "token");
      mayAdminister(caller);
      await tokens.remove(params.id);
      await account.note({ id: panel.newId("aud"), what: "token_removed", at: panel.now() });
      return { status: 204 };
    });
}

export interface Entrance {
  readonly panel: Panel;
  readonly guard: LoginGuard;
  readonly csrfKey: Uint8Array;
}

export function loginHandler(entrance: Entrance): Answering<typeof contract.login, Caller> {
  const { panel, guard } = entrance;
  return async ({ body, request, reply }) => {
    const [email, now] = [normaliseEmail(body.email), panel.now()];
    const wait = guard.waitOf(request.ip, email, now);
    if (wait !== null)
      throw new Problem("rate_limited", { headers: { "Retry-After": String(Math.ceil(wait / 1000)) } });
    // Counted before it is judged, so that tries side by side do not slip through.
    guard.failed(request.ip, email, now);
    const known = await panel.store.doors.byEmail(email);
    const isRight = await panel.passwords.verify(body.password, known?.password ?? null);
    if (known === null || !isRight)
      throw new Problem("unauthenticated", { headers: { "WWW-Authenticate": "Session" } });
    guard.succeeded(request.ip, email, now);
    return signIn(entrance, reply, known.account);
  };
}

/** A new session under a new name, whoever was signed in before. */
export async function signIn({ panel, csrfKey }: Entrance, reply: FastifyReply, record: AccountRecord) {
  const [secret, now] = [randomBytes(32).toString("base64url"), panel.now()];
  const session = { hash: panel.secrets.hash(secret), createdAt: now, seenAt: now };
  await panel.store.change(record.id, ({ account }) => account.openSession(session));
  setCookie(panel, reply, { value: secret, maxAge: 30 * 86_400 });
  const account = await accountShape(panel, record);
  return { account, csrf_token: csrfTokenOf(csrfKey, session.hash), expires_at: timeOf(endOf(session)) };
}

function setCookie(panel: Panel, reply: FastifyReply, { value, maxAge }: { value: string; maxAge: number }): void {
  const secure = panel.url().startsWith("https:") ? "; Secure" : "";
  const name = cookieName(panel.url());
  reply.header("Set-Cookie", `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`);
}

export function logoutHandler({ panel }: Entrance): Answering<typeof contract.logout, Caller> {
  return async ({ caller, body, reply }) => {
    const hash = body?.everywhere === true ? null : caller.session?.hash;
    if (hash !== undefined) await panel.store.change(caller.account.id, ({ account }) => account.endSessions(hash));
    setCookie(panel, reply, { value: "", maxAge: 0 });
    return reply.code(204).send();
  };
}

/** Of a browser; an access token has none. */
export function getSessionHandler({ panel }: Entrance): Answering<typeof contract.getSession, Caller> {
  return async ({ caller }) => {
    const { session } = caller;
    if (session === null) throw new Problem("unauthenticated", { detail: "An access token is no session." });
    const account = await accountShape(panel, caller.account);
    return { account, csrf_token: session.csrf, expires_at: timeOf(session.expiresAt) };
  };
}
