/**
 * Installation tokens of GitHub Apps. They are valid for one hour. A cached token is replaced while it is still valid for the longest
 * clone or push, so that none expires during one.
 */
import { createHash, createPrivateKey } from "node:crypto";
import type { CredentialSent } from "@triptych/contracts";
import { SignJWT } from "jose";
import type { RemoteRepo } from "../git/remote.ts";
import type { ForgeAnswer, ForgeCall } from "./call.ts";
import { ForgeError } from "./forge.ts";
import { isDone, membersOf, numberOf } from "./reading.ts";

export type GithubApp = Extract<CredentialSent, { readonly kind: "github_app" }>;

/** What a token is for: one repository, with the least access that the app allows. */
export interface AppRepo extends Pick<RemoteRepo, "owner" | "id" | "url" | "provider"> {
  readonly app: GithubApp;
}

/** A call to the API of the repository's host, with its path there: `acme/sum`. */
export type OpenAppCall = (repo: AppRepo, authorization: string) => { readonly call: ForgeCall; readonly path: string };

export interface AppTokens {
  /** Throws a `ForgeError` that says what the owner can change. */
  tokenOf(repo: AppRepo): Promise<string>;
  /** Called after a refused request, so that the next one gets a new token. */
  forget(repo: AppRepo): void;
}

interface AppTokensOptions {
  readonly open: OpenAppCall;
  readonly now: () => number;
}

interface IssuedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** More than the timeout of a clone or push, 15 minutes. */
const REMAINING_MIN_MS = 20 * 60_000;
/** Bounds memory; an evicted token is created again. */
const TOKENS_MAX = 5_000;

export function createAppTokens({ open, now }: AppTokensOptions): AppTokens {
  const issued = new Map<string, Promise<IssuedToken>>();
  return {
    async tokenOf(repo) {
      const name = nameOf(repo);
      const cached = issued.get(name);
      if (cached !== undefined) {
        const { token, expiresAt } = await cached;
        if (expiresAt - now() > REMAINING_MIN_MS) return token;
        forget(name, cached);
      }
      // Concurrent callers share one request.
      return (await (issued.get(name) ?? issue(name, repo))).token;
    },
    forget: (repo) => void issued.delete(nameOf(repo)),
  };

  function issue(name: string, repo: AppRepo): Promise<IssuedToken> {
    const next = issueToken(repo, open, now());
    issued.set(name, next);
    next.catch(() => forget(name, next));
    for (const oldest of issued.keys()) if (issued.size > TOKENS_MAX) issued.delete(oldest);
    return next;
  }

  function forget(name: string, only: Promise<IssuedToken>): void {
    if (issued.get(name) === only) issued.delete(name);
  }
}

/** Contains the credential, so that a changed one gets another cache key. */
function nameOf({ owner, id, url, app }: AppRepo): string {
  return createHash("sha256")
    .update(JSON.stringify([owner, id, url, app]))
    .digest("base64url");
}

async function issueToken(repo: AppRepo, open: OpenAppCall, now: number): Promise<IssuedToken> {
  const { app } = repo;
  const { call, path } = open(repo, `Bearer ${await appJwt(app, now)}`);
  const about = `GitHub App ${app.app_id}`;
  const ask = async (method: "GET" | "POST", at: string, body?: object): Promise<ForgeAnswer> => {
    try {
      return await call(method, at, body);
    } catch (error) {
      if (!(error instanceof ForgeError) || error.retryAfterS !== null) throw error;
      throw explained(error, about);
    }
  };
  const installation = app.installation_id ?? (await findInstallation(ask, path, about));
  const at = `/app/installations/${installation}/access_tokens`;
  const answer = await ask("POST", at, { repositories: [path.split("/").at(-1)] });
  if (answer.status === 404)
    throw refused(answer, `${about} has no installation ${installation}; it may have been removed.`);
  if (!isDone(answer))
    throw refused(
      answer,
      `Installation ${installation} of ${about} has no access to ${path}; add the repository there.`,
    );
  const { token, expires_at } = membersOf(answer.body);
  const expiresAt = Date.parse(String(expires_at));
  if (typeof token !== "string" || Number.isNaN(expiresAt))
    throw refused(answer, "The forge issued a token in an unknown form.");
  return { token, expiresAt };
}

type Ask = (method: "GET" | "POST", at: string, body?: object) => Promise<ForgeAnswer>;

async function findInstallation(ask: Ask, path: string, about: string): Promise<number> {
  const answer = await ask("GET", `/repos/${path}/installation`);
  if (!isDone(answer)) throw refused(answer, `${about} is not installed on ${path}.`);
  return numberOf(membersOf(answer.body)["id"]);
}

/** GitHub accepts tokens for at most 10 minutes and none from the future. Clocks may differ by a minute. */
const BACKDATED_S = 60;
const LIFETIME_S = 9 * 60;

async function appJwt({ app_id, private_key }: GithubApp, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1000) - BACKDATED_S;
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256" })
    .setIssuer(String(app_id))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_S)
    .sign(createPrivateKey(private_key));
}

/** Required by RS256 (RFC 7518). */
const KEY_BITS_MIN = 2_048;

/** In PEM form, PKCS #1 (as GitHub generates it) or PKCS #8. */
export function isAppKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN;
  } catch {
    return false;
  }
}

function explained(error: ForgeError, about: string): ForgeError {
  const { status, retryAfterS } = error;
  if (status === 401)
    return new ForgeError(
      "refused",
      `The forge rejected the key of ${about}. Check app_id, private_key and the clock of the panel.`,
      { status, retryAfterS },
    );
  if (status === 403)
    return new ForgeError("refused", `The installation of ${about} is suspended.`, { status, retryAfterS });
  return error;
}

function refused({ status }: ForgeAnswer, message: string): ForgeError {
  return new ForgeError("refused", message, { status, retryAfterS: null });
}
