/** git over HTTP by git's own server program: what a client meets here is what it meets at a forge. */
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface GitHttpOptions {
  /** Holds the bare repositories as `owner/name.git`. */
  readonly root: string;
  readonly user: string;
}

export function isGitRequest({ pathname }: URL): boolean {
  return /^\/[\w-]+\/[\w-]+\.git\/(?:info\/refs|git-(?:upload|receive)-pack)$/.test(pathname);
}

export function serveGit(request: IncomingMessage, response: ServerResponse, { root, user }: GitHttpOptions): void {
  const url = new URL(request.url ?? "/", "http://forge");
  const child = spawn("git", ["-c", "http.receivepack=true", "http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: user,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  child.once("error", () => response.writeHead(500).end());
  child.once("close", () => answer(Buffer.concat(chunks), response));
}

/** Heads in the manner of CGI, an empty line, the body. */
function answer(printed: Buffer, response: ServerResponse): void {
  const end = printed.indexOf("\r\n\r\n");
  if (end === -1) {
    response.writeHead(500).end();
    return;
  }
  for (const line of printed.subarray(0, end).toString("latin1").split("\r\n")) {
    const [name, value] = line.split(/: */, 2);
    if (name === "Status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(printed.subarray(end + 4));
}
