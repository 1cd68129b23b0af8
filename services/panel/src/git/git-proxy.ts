/**
 * The read-only git proxy for workers: smart HTTP by `git upload-pack` on the mirror, limited to the base branch and the tags in its
 * history. Protocol version 0 only: version 2 serves any commit by id.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { killGroup } from "@triptych/process-spawner";
import { panelGitEnvironment } from "./git.ts";
import type { GitAnswer, GitRequest } from "../domain/delivery.ts";
import type { Mirrors, MirrorRequest } from "./mirrors.ts";
import { tagsOn } from "./tags.ts";

export interface Relay {
  /** Throws `Unreachable` if the repository cannot be fetched. */
  serve(mirror: RelayRequest, request: GitRequest): Promise<GitAnswer>;
}

export interface RelayRequest extends MirrorRequest {
  /** A second branch, which a follow-up merges. */
  readonly merge: string | null;
}

/** For clones of large repositories over slow connections. */
const SERVE_MS = 30 * 60_000;
const HEAD_BYTES = 16 * 1024;

export function createRelay(mirrors: Mirrors): Relay {
  return {
    serve: (mirror, request) =>
      new Promise((resolve, reject) => {
        // The mirror stays in use until the last byte is sent.
        fetchMerged(mirrors, mirror)
          .then(() =>
            mirrors.use(mirror, async ({ folder, git, branch }) => {
              const tags = await tagsOn(git, branch);
              const branches = [branch, ...(mirror.merge === null ? [] : [mirror.merge])];
              const showsHead = mirror.branch === null;
              const { answer, ended } = await backend(request, { folder, branches, tags, showsHead });
              resolve(answer);
              await ended;
            }),
          )
          .catch(reject);
      }),
  };
}

async function fetchMerged(mirrors: Mirrors, { repo, merge, maxAgeMs }: RelayRequest): Promise<void> {
  if (merge !== null) await mirrors.use({ repo, branch: merge, maxAgeMs }, async () => {});
}

interface BackendOptions {
  readonly folder: string;
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  readonly showsHead: boolean;
}

async function backend(request: GitRequest, options: BackendOptions) {
  const visible = [...options.branches.map((branch) => `refs/heads/${branch}`), ...options.tags].map(
    (name) => `!${name}`,
  );
  const hidden = ["refs", ...visible, ...(options.showsHead ? [] : ["HEAD"])];
  const settings = { "http.receivepack": "false", "http.uploadpack": "true", "transfer.hideRefs": hidden };
  const child = spawn("git", ["http-backend"], {
    cwd: "/",
    detached: true,
    env: {
      ...panelGitEnvironment(settings),
      GIT_PROJECT_ROOT: options.folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: request.path,
      QUERY_STRING: request.query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.contentType,
      HTTP_CONTENT_ENCODING: request.contentEncoding,
      CONTENT_LENGTH: String(request.body?.length ?? 0),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const body = new PassThrough();
  const clock = setTimeout(() => killGroup(child), SERVE_MS);
  body.once("close", () => killGroup(child));
  child.stdin.on("error", () => {});
  child.stdin.end(request.body ?? undefined);
  const ended = Promise.race([once(child, "close"), once(child, "error")]).finally(() => clearTimeout(clock));
  const { status, headers, rest } = await readHead(child.stdout);
  body.write(rest);
  child.stdout.pipe(body);
  return { answer: { status, headers, body }, ended };
}

async function readHead(stdout: Readable) {
  let read = Buffer.alloc(0);
  for (;;) {
    const end = read.indexOf("\r\n\r\n");
    if (end !== -1) return { ...headOf(read.subarray(0, end).toString("latin1")), rest: read.subarray(end + 4) };
    if (read.length > HEAD_BYTES) throw new Error("git http-backend sent incomplete response headers");
    const chunk: unknown = await nextChunk(stdout);
    if (!(chunk instanceof Buffer)) throw new Error("git http-backend exited before it responded");
    read = Buffer.concat([read, chunk]);
  }
}

async function nextChunk(stdout: Readable): Promise<unknown> {
  for (;;) {
    const chunk: unknown = stdout.read();
    if (chunk !== null) return chunk;
    if (stdout.readableEnded) return null;
    await Promise.race([once(stdout, "readable"), once(stdout, "end")]);
  }
}

function headOf(text: string) {
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of text.split("\r\n")) {
    const at = line.indexOf(":");
    const [name, value] = [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    if (name === "status") status = Number.parseInt(value, 10);
    else if (name === "content-type") headers[name] = value;
  }
  return { status, headers };
}
