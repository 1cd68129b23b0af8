/**
 * A fake Git host on loopback: git over HTTP and the pull request APIs of GitHub, GitLab or Gitea. Tests can inject
 * network and host failures.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { createDiscussion, FORBIDDEN, type Discussion } from "./discussion.ts";
import { isGitRequest, serveGit } from "./git-http.ts";
import { createGitHubPulls, type ForgeResponse, type GitHubPulls } from "./github-pulls.ts";
import { createGitHubApp, type GitHubApp, type GitHubAppOptions } from "./github-app.ts";
import { asGitea } from "./gitea-pulls.ts";
import { asGitHub } from "./github.ts";
import type { RepositoryInfo } from "./github-responses.ts";
import { asGitLab, type DialectHandler } from "./gitlab-pulls.ts";

/** The API dialect; all share the same pull requests. */
export type Dialect = "github" | "gitlab" | "gitea";

export type ForgeFault =
  | "error"
  | "error_after_effect"
  /** The request takes effect, but the connection breaks before the response. */
  | "lost_answer"
  /** The request takes effect, but there is no response until the client gives up. */
  | "no_answer"
  /** 403, like GitHub's secondary rate limit. */
  | "rate_limited"
  /** 403 of GitHub's hourly quota: without `Retry-After`, but with the reset time. */
  | "quota_used"
  /** 403: the token lacks a permission, or the conversation is locked. */
  | "forbidden";

export interface Forge extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly pulls: GitHubPulls;
  readonly discussion: Discussion;
  readonly app: GitHubApp | null;
  /** `method path` of each API request, in order. */
  readonly calls: readonly string[];
  /** Called for each request, including reads; returns undefined for no fault. */
  faultOf: (call: string) => ForgeFault | undefined;
  /** Fails the next modifying API request. Resolves after the failure, including its effect. */
  failNext(fault: ForgeFault): Promise<void>;
}

export interface ForgeOptions {
  /** The bare, empty repository `acme/sum` is created in this folder. */
  readonly folder: string;
  readonly token: string;
  readonly dialect?: Dialect;
  /** GitHub only. The app's installation tokens also open the repository. */
  readonly app?: GitHubAppOptions;
  /** Clock of the host. Default `Date.now`. */
  readonly now?: () => number;
}

type Failing = { readonly fault: ForgeFault; readonly happened: () => void };

const OWNER = "acme";
const NAME = "sum";
const API_ROOT = "/api/v3";
const APIS: Readonly<Record<Dialect, string>> = {
  github: `/api/v3/repos/${OWNER}/${NAME}`,
  gitlab: `/api/v4/projects/${OWNER}%2F${NAME}`,
  gitea: `/api/v1/repos/${OWNER}/${NAME}`,
};

export async function startForge(options: ForgeOptions): Promise<Forge> {
  const { folder, token, dialect = "github", now = Date.now } = options;
  const bare = join(folder, OWNER, `${NAME}.git`);
  mkdirSync(bare, { recursive: true });
  execFileSync("git", ["init", "--quiet", "--template=", "--bare", "--initial-branch=main", bare]);
  const faults: Failing[] = [];
  const calls: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const pulls = createGitHubPulls({
    owner: OWNER,
    url: `${url}/${OWNER}/${NAME}`,
    shaOf: (branch) => shaOf(bare, branch),
  });
  const discussion = createDiscussion();
  const repository = { url, owner: OWNER, name: NAME };
  const app = options.app === undefined ? null : createGitHubApp(options.app, { repository, now });
  const spoken = handlerOf(dialect, { pulls, discussion, repository });
  const api = APIS[dialect];

  const self: Forge = {
    url,
    folder,
    pulls,
    discussion,
    faultOf: () => undefined,
    app,
    calls,
    failNext: (fault) => new Promise((resolve) => void faults.push({ fault, happened: resolve })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return self;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? "/", url);
    if (target.pathname.startsWith(STORAGE)) return sendLog(discussion, { request, response, path: target.pathname });
    const { authorization, "private-token": privateToken } = request.headers;
    const appPath = app !== null && target.pathname.startsWith(API_ROOT) ? target.pathname.slice(API_ROOT.length) : "";
    const isApp = app?.isAppPath(appPath) === true;
    const isToken = (secret: string) => secret === token || app?.isToken(secret) === true;
    if (!isApp && !isAllowed(authorization, isToken) && !(dialect === "gitlab" && privateToken === token)) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="forge"' }).end();
      return;
    }
    if (isGitRequest(target)) return serveGit(request, response, { root: folder, user: OWNER });
    const method = request.method ?? "GET";
    const call = `${method} ${target.pathname}`;
    calls.push(call);
    const logId = logIdOf(target.pathname.slice(api.length));
    const next = nextFault(self.faultOf(call), method === "GET" || isApp ? [] : faults);
    const body = await bodyOf(request);
    const hasEffect = next === undefined || !WITHOUT_EFFECT.has(next.fault);
    const done = hasEffect ? act({ method, target, body, authorization, appPath }) : SERVER_ERROR;
    next?.happened();
    if (next === undefined && logId !== null && method === "GET")
      return redirectToLog(discussion, { request, response, path: `${STORAGE}${logId}` }, dialect);
    answerWith(next?.fault, { request, response, dialect, answer: done });
  }

  function act({ method, target, body, authorization, appPath }: ApiRequest): ForgeResponse {
    const query = target.searchParams;
    const ofApp = app?.handle({ method, path: appPath, query, body, authorization }) ?? null;
    if (ofApp !== null) return ofApp;
    const isHere = target.pathname === api || target.pathname.startsWith(`${api}/`);
    if (!isHere) return { status: 404, body: { message: "Not Found" } };
    return spoken.handle(method, target.pathname.slice(api.length), { query, body });
  }
}

const WITHOUT_EFFECT: ReadonlySet<ForgeFault> = new Set(["error", "rate_limited", "quota_used", "forbidden"]);

function nextFault(chosen: ForgeFault | undefined, queue: Failing[]): Failing | undefined {
  return chosen === undefined ? queue.shift() : { fault: chosen, happened: () => {} };
}

interface Shared {
  readonly pulls: GitHubPulls;
  readonly discussion: Discussion;
  readonly repository: RepositoryInfo;
}

function handlerOf(dialect: Dialect, { pulls, discussion, repository }: Shared): DialectHandler {
  if (dialect === "github") return asGitHub(pulls, discussion, repository);
  return dialect === "gitlab" ? asGitLab(pulls, discussion, repository) : asGitea(pulls, discussion, repository.owner);
}

interface ApiRequest {
  readonly method: string;
  readonly target: URL;
  readonly body: unknown;
  readonly authorization: string | undefined;
  readonly appPath: string;
}

interface Answering {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: Dialect;
  readonly answer: ForgeResponse;
}

function answerWith(fault: ForgeFault | undefined, { request, response, dialect, answer }: Answering): void {
  switch (fault) {
    case undefined:
      return sendTagged(request, response, answer);
    case "rate_limited":
      return sendRateLimit(response, dialect);
    case "quota_used":
      response.setHeader("X-RateLimit-Remaining", "0");
      response.setHeader("X-RateLimit-Reset", String(Math.ceil(Date.now() / 1000) + QUOTA_RESET_S));
      return send(response, { status: 403, body: { message: "API rate limit exceeded" } });
    case "forbidden":
      return send(response, FORBIDDEN);
    case "error":
    case "error_after_effect":
      return send(response, SERVER_ERROR);
    case "lost_answer":
      response.destroy();
      return;
    case "no_answer":
      return;
  }
}

/** Reads git's files directly, to avoid a process per call. */
function shaOf(bare: string, branch: string): string | null {
  const ref = `refs/heads/${branch}`;
  const loose = statSync(join(bare, ref), { throwIfNoEntry: false });
  if (loose?.isFile() === true) return readFileSync(join(bare, ref), "utf8").trim();
  const packed = join(bare, "packed-refs");
  const lines = existsSync(packed) ? readFileSync(packed, "utf8").split("\n") : [];
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null;
}

const STORAGE = "/storage/logs/";

function logIdOf(path: string): number | null {
  const [, job, trace] = /^\/(?:actions\/jobs\/(\d+)\/logs|jobs\/(\d+)\/trace)$/.exec(path) ?? [];
  const id = job ?? trace;
  return id === undefined ? null : Number(id);
}

interface LogRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
}

/** GitHub stores logs elsewhere, at a signed URL that must not receive the credential; GitLab sends them directly. */
function redirectToLog(discussion: Discussion, log: LogRequest, dialect: Dialect): void {
  if (dialect === "gitlab") return sendText(discussion, log);
  log.response.writeHead(302, { Location: `${log.path}?signature=valid` }).end();
}

function sendLog(discussion: Discussion, log: LogRequest): void {
  if (log.request.headers.authorization === undefined) return sendText(discussion, log);
  log.response.writeHead(400).end();
}

function sendText(discussion: Discussion, { response, path }: LogRequest): void {
  const log = discussion.checkOf(Number(path.slice(STORAGE.length)))?.log;
  if (log === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { "Content-Type": "text/plain" }).end(log);
}

/** As on the real hosts, a GET with a current entity tag returns no body. */
function sendTagged(request: IncomingMessage, response: ServerResponse, answer: ForgeResponse): void {
  if (request.method !== "GET" || answer.status !== 200) return send(response, answer);
  const text = JSON.stringify(answer.body);
  const etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
  response.setHeader("ETag", etag);
  if (request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
  response.writeHead(200, { "Content-Type": "application/json" }).end(text);
}

const QUOTA_RESET_S = 1_800;
const SERVER_ERROR: ForgeResponse = { status: 500, body: { message: "Server Error" } };

/** GitHub accepts a token as bearer, in its own scheme `token`, or as the password of any user name. */
function isAllowed(header: string | undefined, isToken: (secret: string) => boolean): boolean {
  const [scheme = "", value = ""] = (header ?? "").split(" ", 2);
  if (/^basic$/i.test(scheme)) return isToken(Buffer.from(value, "base64").toString().split(":", 2)[1] ?? "");
  return /^(?:bearer|token)$/i.test(scheme) && isToken(value);
}

function send(response: ServerResponse, { status, body }: ForgeResponse): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function sendRateLimit(response: ServerResponse, dialect: Dialect): void {
  response.setHeader("Retry-After", "60");
  send(response, {
    status: dialect === "github" ? 403 : 429,
    body: { message: "You have exceeded a secondary rate limit." },
  });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? null : JSON.parse(text);
}
