/** A GitHub App on the fake GitHub: its installation, its installation tokens, which expire, and check runs. */
import { createPublicKey, randomBytes, verify, type KeyObject } from "node:crypto";
import { createCheckRuns, NOT_FOUND, problem } from "./github-checks.ts";
import { type ForgeResponse, recordOf } from "./github-pulls.ts";
import { type CheckRun, installationOf, tokenOf } from "./github-app-responses.ts";
import type { RepositoryInfo } from "./github-responses.ts";

export interface GitHubAppOptions {
  readonly id: number;
  /** PEM of the public key; the app signs with the private one. */
  readonly publicKey: string;
  readonly installationId: number;
  /** Lifetime of installation tokens. Default one hour, as on GitHub. */
  readonly tokenLifetimeMs?: number;
  /** Default true. */
  readonly canWriteChecks?: boolean;
}

export interface GitHubApp {
  readonly checkRuns: readonly CheckRun[];
  /** Number of installation tokens that were issued. */
  readonly issued: () => number;
  /** Expires all issued tokens now. */
  expireTokens(): void;
  /** Simulates what the owner of the repository can do to the installation. */
  setInstallation(state: "installed" | "suspended" | "removed" | "other_repository"): void;
  isToken(token: string): boolean;
  /** Whether the path is requested by the app itself, with its JSON web token. */
  isAppPath(path: string): boolean;
  /** Null for a path that apps do not use. */
  handle(request: AppRequest): ForgeResponse | null;
}

export interface AppRequest {
  readonly method: string;
  /** After `/api/v3`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

interface Parts {
  readonly repository: RepositoryInfo;
  readonly now: () => number;
}

const HOUR_MS = 3_600_000;
const JWT_SECONDS_MAX = 600;

export function createGitHubApp(options: GitHubAppOptions, { repository, now }: Parts): GitHubApp {
  const { id, installationId, tokenLifetimeMs = HOUR_MS, canWriteChecks = true } = options;
  const key = createPublicKey(options.publicKey);
  const tokens = new Map<string, number>();
  let state: Parameters<GitHubApp["setInstallation"]>[0] = "installed";
  const at = `/repos/${repository.owner}/${repository.name}`;
  const info = { ...repository, appId: id, installationId, canWriteChecks };
  const checks = createCheckRuns(at, info);

  return {
    checkRuns: checks.all,
    issued: () => tokens.size,
    expireTokens: () => tokens.forEach((_, token) => tokens.set(token, 0)),
    setInstallation: (next) => void (state = next),
    isToken: (token) => state === "installed" && (tokens.get(token) ?? 0) > now(),
    isAppPath,
    handle({ method, path, query, body, authorization }) {
      if (isAppPath(path)) {
        const issue = jwtIssue(authorization, { key, id, now: now() });
        return issue === null ? asApp(method, path, body) : problem(401, issue);
      }
      // Check runs of other authors are served by the discussion.
      if (!path.includes("/check-runs") || (method === "GET" && !query.has("check_name"))) return null;
      if (!canWriteChecks) return problem(403, "Resource not accessible by integration");
      return checks.handle(method, path, { query, body });
    },
  };

  function isAppPath(path: string): boolean {
    return path.startsWith("/app/") || path === `${at}/installation`;
  }

  function asApp(method: string, path: string, body: unknown): ForgeResponse {
    const isMissing = state === "removed";
    const isElsewhere = state === "other_repository";
    if (method === "GET" && path === `${at}/installation`)
      return isMissing || isElsewhere ? NOT_FOUND : { status: 200, body: installationOf(info, state === "suspended") };
    const [, number, isTokens] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? [];
    if (isMissing || Number(number) !== installationId) return NOT_FOUND;
    if (method === "GET" && isTokens === undefined)
      return { status: 200, body: installationOf(info, state === "suspended") };
    if (method !== "POST") return NOT_FOUND;
    if (state === "suspended") return problem(403, "This installation has been suspended");
    const { repositories } = recordOf(body);
    const names: readonly unknown[] = Array.isArray(repositories) ? repositories : [repository.name];
    if (isElsewhere || names.some((name) => name !== repository.name))
      return {
        status: 422,
        body: {
          message:
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
          documentation_url: "https://docs.github.com/rest",
        },
      };
    const token = `ghs_${randomBytes(18).toString("hex")}`;
    const expiresAt = now() + tokenLifetimeMs;
    tokens.set(token, expiresAt);
    return { status: 201, body: tokenOf(info, { token, expiresAt, isSelected: Array.isArray(repositories) }) };
  }
}

interface JwtRule {
  readonly key: KeyObject;
  readonly id: number;
  readonly now: number;
}

/** Returns GitHub's message; null for a valid token of the app. */
function jwtIssue(authorization: string | undefined, { key, id, now }: JwtRule): string | null {
  const [, head = "", payload = "", signature = ""] =
    /^bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization ?? "") ?? [];
  if (payload === "") return "A JSON web token could not be decoded";
  const { alg } = partOf(head);
  const { iss, iat, exp } = partOf(payload);
  const isSigned = verify("sha256", Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, "base64url"));
  if (alg !== "RS256" || !isSigned) return "A JSON web token could not be decoded";
  if (String(iss) !== String(id)) return "'Issuer' claim ('iss') must be an Integer";
  const seconds = now / 1000;
  if (typeof iat !== "number" || iat > seconds)
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  if (typeof exp !== "number" || exp < seconds)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  return exp > seconds + JWT_SECONDS_MAX ? "'Expiration time' claim ('exp') is too far in the future" : null;
}

function partOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch {
    return {};
  }
}
