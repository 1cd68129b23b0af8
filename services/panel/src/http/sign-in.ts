import { randomBytes } from "node:crypto";
import type * as contract from "@triptych/contracts";
import { Problem, type RequestHandler } from "@triptych/server";
import { stringifySetCookie } from "cookie";
import type { FastifyReply } from "fastify";
import type { LoginGuard } from "../domain/login-guard.ts";
import { normalizeEmail } from "../domain/open-account.ts";
import type { Panel } from "../domain/panel.ts";
import type { AccountRecord } from "../domain/records.ts";
import { accountShape } from "./account.ts";
import { permit, type Caller } from "./caller.ts";
import { mapDomainErrors } from "./transactional.ts";
import { cookieName, csrfTokenOf, endOf } from "./identify.ts";
import { timeOf } from "./response-mappers.ts";

export interface LoginDeps {
  readonly panel: Panel;
  readonly guard: LoginGuard;
  readonly csrfKey: Uint8Array;
}

export function loginHandler(deps: LoginDeps): RequestHandler<typeof contract.login, Caller> {
  const { panel, guard } = deps;
  return async ({ body, request, reply }) => {
    const [email, now] = [normalizeEmail(body.email), panel.now()];
    countTry(guard, { ip: request.ip, email, now });
    const match = await panel.store.system.byEmail(email);
    const isRight = await panel.passwords.verify(body.password, match?.password ?? null);
    if (match === null || !isRight) throw wrong();
    guard.succeeded(request.ip, email, now);
    return signIn(deps, reply, match.account);
  };
}

/** Link attempts carry no email and count by address alone. */
const NO_EMAIL = "";

export function signInOnceHandler(deps: LoginDeps): RequestHandler<typeof contract.signInOnce, Caller> {
  const { panel, guard } = deps;
  return async ({ body, request, reply }) => {
    const now = panel.now();
    countTry(guard, { ip: request.ip, email: NO_EMAIL, now });
    const account = await panel.store.system.takeLink(panel.secrets.hash(body.token), now);
    if (account === null) throw wrong();
    guard.succeeded(request.ip, NO_EMAIL, now);
    return signIn(deps, reply, account);
  };
}

type SignInAttempt = { readonly ip: string; readonly email: string; readonly now: number };

/** Counted before verification, so that parallel attempts cannot bypass the limit. */
function countTry(guard: LoginGuard, { ip, email, now }: SignInAttempt): void {
  const wait = guard.waitOf(ip, email, now);
  if (wait !== null) throw tooManyTries(Math.ceil(wait / 1000));
  guard.failed(ip, email, now);
}

/** Does not name the exceeded limit: that would reveal which emails others try. */
function tooManyTries(seconds: number): Problem {
  const detail =
    "Too many failed sign-in attempts within 15 minutes. Wait for the seconds in `Retry-After`; until then, even the correct password is rejected.";
  return new Problem("rate_limited", { detail, headers: { "Retry-After": String(seconds) } });
}

function wrong(detail?: string): Problem {
  const headers = { "WWW-Authenticate": "Session" };
  return new Problem("unauthenticated", { headers, ...(detail !== undefined && { detail }) });
}

/** Always creates a new session id, which prevents session fixation. */
async function signIn({ panel, csrfKey }: LoginDeps, reply: FastifyReply, record: AccountRecord) {
  const [secret, now] = [randomBytes(32).toString("base64url"), panel.now()];
  const session = { hash: panel.secrets.hash(secret), createdAt: now, seenAt: now };
  await panel.store.change(record.id, ({ account }) => account.openSession(session));
  setCookie(panel, reply, { value: secret, maxAge: 30 * 86_400 });
  const account = await accountShape(panel, record);
  return { account, csrf_token: csrfTokenOf(csrfKey, session.hash), expires_at: timeOf(endOf(session)) };
}

function setCookie(panel: Panel, reply: FastifyReply, { value, maxAge }: { value: string; maxAge: number }): void {
  const name = cookieName(panel.url());
  const secure = panel.url().startsWith("https:");
  const cookie = { name, value, maxAge, path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  reply.header("Set-Cookie", stringifySetCookie(cookie));
}

/** A suspended account may still sign out. */
export function logoutHandler({ panel }: LoginDeps): RequestHandler<typeof contract.logout, Caller> {
  return ({ caller, body, reply }) =>
    mapDomainErrors(panel, async () => {
      permit(caller, "write", { changes: false });
      const hash = body.everywhere === true ? null : caller.session?.hash;
      if (hash !== undefined) await panel.store.change(caller.account.id, ({ account }) => account.endSessions(hash));
      setCookie(panel, reply, { value: "", maxAge: 0 });
      return reply.code(204).send();
    });
}

export function getSessionHandler({ panel }: LoginDeps): RequestHandler<typeof contract.getSession, Caller> {
  return async ({ caller }) => {
    const { session } = caller;
    if (session === null) throw wrong("This endpoint requires a session, not an access token.");
    const account = await accountShape(panel, caller.account);
    return { account, csrf_token: session.csrf, expires_at: timeOf(session.expiresAt) };
  };
}
