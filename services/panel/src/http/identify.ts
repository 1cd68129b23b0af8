/**
 * Authentication and rate limit of a request. A bearer takes precedence over a cookie: an invalid bearer is 401 even with a valid cookie.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  LICENSE_PATH,
  SCOPES,
  SECURE_SESSION_COOKIE,
  SESSION_COOKIE,
  type Endpoint,
  login,
  signInOnce,
} from "@triptych/contracts";
import { readCredentials, Problem, type Authenticate } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CheckTokens, RunTokens } from "../domain/worker-tokens.ts";
import type { Panel } from "../domain/panel.ts";
import type { SessionRecord } from "../domain/records.ts";
import type { Caller } from "./caller.ts";

const DAY_MS = 86_400_000;
const IDLE_MS = 7 * DAY_MS;
const ABSOLUTE_MS = 30 * DAY_MS;
/** Minimum interval for storing a session's last use: a read should not cause a write. */
const TOUCH_MS = 10 * 60_000;
const REALM = 'Bearer realm="panel"';
const STARTS: ReadonlySet<string> = new Set(["startRun", "startExplore", "runCandidate", "retryRun", "checkRepo"]);

export type Counted = "all" | "runs" | "license" | "probe" | "prs";

/** Counts a request of the account; `retryAfter` in seconds above the limit. */
export type Enter = (counted: Counted, owner: string) => Admission;

export interface Admission {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter: number | null;
}

export type Gate = Pick<Panel, "store" | "secrets" | "now" | "url"> & {
  readonly csrfKey: Uint8Array;
  readonly enter: Enter;
  readonly tokens: RunTokens;
  readonly checkTokens: CheckTokens;
};

export function recognizeWith(gate: Gate): (request: FastifyRequest, endpoint: Endpoint) => Promise<Caller> {
  return async (request, endpoint) => {
    const bearer = readCredentials(request, [{ in: "bearer", description: "" }]).at(0);
    if (endpoint.auth === "worker") return ofLicense(gate, bearer ?? "");
    if (endpoint.auth === "run") return ofRun(gate, bearer ?? "");
    if (endpoint.auth === "check") return ofCheck(gate, bearer ?? "");
    return bearer === undefined && request.headers.authorization === undefined
      ? ofSession(gate, request, endpoint)
      : ofToken(gate, bearer ?? "");
  };
}

export function createAuthenticate(gate: Gate): Authenticate<Caller> {
  const recognize = recognizeWith(gate);
  return async (request, reply, endpoint) => {
    const caller = await recognize(request, endpoint);
    // Connections, clones and uploads are not counted: a worker needs each once per run, and a 429 would fail the run.
    if (endpoint.auth !== "account") return caller;
    const admit = (counted: Counted) => answerRate(reply, gate.enter(counted, caller.account.id));
    admit("all");
    if (STARTS.has(endpoint.id)) admit("runs");
    if (endpoint.id === "probeWorker") admit("probe");
    if (endpoint.id === "openPr") admit("prs");
    if (endpoint.path === LICENSE_PATH && endpoint.method === "POST") admit("license");
    return caller;
  };
}

function unauthenticated(): Problem {
  return new Problem("unauthenticated", { headers: { "WWW-Authenticate": REALM } });
}

async function ofToken({ store, secrets, now }: Gate, bearer: string): Promise<Caller> {
  const match = await store.system.byToken(secrets.hash(bearer));
  if (match === null || (match.token.expiresAt ?? Infinity) <= now()) throw unauthenticated();
  return { account: match.account, scopes: match.token.scopes, session: null };
}

/** A license key opens only the channel, and only a license key opens it. */
async function ofLicense({ store, secrets }: Gate, bearer: string): Promise<Caller> {
  const account = await store.system.byLicense(secrets.hash(bearer));
  if (account === null) throw unauthenticated();
  return { account, scopes: [], session: null };
}

async function ofRun({ store, tokens, now }: Gate, bearer: string): Promise<Caller> {
  const scope = tokens.read(bearer, now());
  const match = scope === null ? null : await store.system.runOfToken(scope);
  if (scope === null || match === null) throw unauthenticated();
  return { account: match.account, scopes: [], session: null, run: { scope, run: match.run } };
}

async function ofCheck({ store, checkTokens, now }: Gate, bearer: string): Promise<Caller> {
  const scope = checkTokens.read(bearer, now());
  const known = scope === null ? null : await store.system.checkOfToken(scope);
  if (scope === null || known === null) throw unauthenticated();
  return { account: known.account, scopes: [], session: null, check: { owner: scope.owner, check: known.check } };
}

async function ofSession(gate: Gate, request: FastifyRequest, endpoint: Endpoint): Promise<Caller> {
  const { store, secrets, now, csrfKey, url } = gate;
  const cookie = readCredentials(request, [{ in: "cookie", name: cookieName(url()), description: "" }]).at(0);
  const match = cookie === undefined ? null : await store.system.bySession(secrets.hash(cookie));
  if (match === null || endOf(match.session) <= now()) throw unauthenticated();
  const { account, session } = match;
  const csrf = csrfTokenOf(csrfKey, session.hash);
  if (endpoint.method !== "GET") refuseForeign(request, { csrf, ownOrigin: new URL(url()).origin });
  if (now() - session.seenAt > TOUCH_MS) await store.of(account.id).account.touchSession(session.hash, now());
  return { account, scopes: SCOPES, session: { hash: session.hash, csrf, expiresAt: endOf(session) } };
}

export function endOf({ createdAt, seenAt }: Pick<SessionRecord, "createdAt" | "seenAt">): number {
  return Math.min(seenAt + IDLE_MS, createdAt + ABSOLUTE_MS);
}

export function cookieName(url: string): string {
  return url.startsWith("https:") ? SECURE_SESSION_COOKIE : SESSION_COOKIE;
}

/** Derived from the session, so nothing is stored. */
export function csrfTokenOf(key: Uint8Array, sessionHash: string): string {
  return createHmac("sha256", key).update(sessionHash).digest("base64url");
}

function refuseForeign({ headers }: FastifyRequest, { csrf, ownOrigin }: { csrf: string; ownOrigin: string }): void {
  const header = headers["x-csrf-token"];
  const fetchSite = headers["sec-fetch-site"];
  const hasToken = typeof header === "string" && isSame(header, csrf);
  const site = typeof fetchSite === "string" ? fetchSite : undefined;
  if (!isFromOwnPage({ fetchSite: site, origin: headers.origin, hasToken, ownOrigin }))
    throw new Problem("csrf_failed");
}

function isSame(received: string, expected: string): boolean {
  const [left, other] = [Buffer.from(received), Buffer.from(expected)];
  return left.length === other.length && timingSafeEqual(left, other);
}

function answerRate(reply: FastifyReply, { fields, retryAfter }: Admission): void {
  reply.headers(fields);
  if (retryAfter !== null) throw new Problem("rate_limited", { headers: { "Retry-After": String(retryAfter) } });
}

const SIGN_IN: ReadonlySet<string> = new Set([login.id, signInOnce.id]);

/** Counts a request of the address; returns the seconds to wait above the limit, else null. */
export type CountAnonymous = (address: string) => number | null;

export function admitAnonymousWith({ url }: Pick<Panel, "url">, count: CountAnonymous) {
  return (request: FastifyRequest, endpoint: Endpoint): void => {
    if (!SIGN_IN.has(endpoint.id)) return;
    const wait = count(request.ip);
    if (wait !== null)
      throw new Problem("rate_limited", {
        detail: `Too many sign-in requests from this address within a minute. Retry in ${wait} s.`,
        headers: { "Retry-After": String(wait) },
      });
    const { origin, "sec-fetch-site": site } = request.headers;
    const fetchSite = typeof site === "string" ? site : undefined;
    if (isFromForeignPage({ fetchSite, origin, ownOrigin: new URL(url()).origin })) throw new Problem("csrf_failed");
  };
}

/** Whether a change with a session cookie comes from our own pages (section 18). */
export interface CrossSite {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly hasToken: boolean;
  readonly ownOrigin: string;
}

/** A client other than a browser sends neither header and is not treated as a foreign page. */
export function isFromForeignPage({ fetchSite, origin, ownOrigin }: Omit<CrossSite, "hasToken">): boolean {
  if (fetchSite === "same-origin" || fetchSite === "none") return false;
  return fetchSite !== undefined || (origin !== undefined && origin !== ownOrigin);
}

/** `Sec-Fetch-Site` and `Origin` decide if present, otherwise the token does. */
export function isFromOwnPage({ fetchSite, origin, hasToken, ownOrigin }: CrossSite): boolean {
  if (fetchSite === undefined && origin === undefined) return hasToken;
  return fetchSite === "same-origin" || origin === ownOrigin;
}
