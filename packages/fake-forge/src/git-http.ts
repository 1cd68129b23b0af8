/** Serves git over HTTP with git's own server program, as a real host does. */
import { buffer } from "node:stream/consumers";
import type { IncomingMessage, ServerResponse } from "node:http";
import { runProgram } from "@triptych/process-spawner";

export interface GitHttpOptions {
  /** Contains the bare repositories as `owner/name.git`. */
  readonly root: string;
  readonly user: string;
}

const TIMEOUT_MS = 120_000;
const OUTPUT_BYTES = 64 * 1024 * 1024;

export function isGitRequest({ pathname }: URL): boolean {
  return /^\/[\w-]+\/[\w-]+\.git\/(?:info\/refs|git-(?:upload|receive)-pack)$/.test(pathname);
}

export async function serveGit(
  request: IncomingMessage,
  response: ServerResponse,
  { root, user }: GitHttpOptions,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://forge");
  const { printed } = await runProgram({
    program: "git",
    args: ["-c", "http.receivepack=true", "http-backend"],
    folder: "/",
    environment: {
      PATH: process.env["PATH"] ?? "",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: user,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    input: await buffer(request),
    timeoutMs: TIMEOUT_MS,
    outputBytes: OUTPUT_BYTES,
  });
  answer(printed, response);
}

/** The output consists of CGI headers, an empty line, and the body. */
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
