/**
 * The worker as one file, its SHA-256, and a shell script that installs it. Public: they contain no secret, and a
 * machine without a worker has no credential.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Problem, type Server } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../http/caller.ts";

/** Path of the packed worker; rejects if this installation cannot build it. */
export type WorkerPack = () => Promise<string>;

interface Download {
  readonly archive: Buffer;
  readonly sha256: string;
}

const FILE = "triptych-worker.tgz";
const SCRIPT = new URL("install-worker.sh", import.meta.url);

export function mountWorkerDownload(
  server: Pick<Server<Caller>, "mountDocument" | "url">,
  workerPack: WorkerPack | undefined,
): void {
  let download: Promise<Download> | null = null;
  // In a clone the first request packs the worker. A failure is not cached.
  const read = () =>
    (download ??= readDownload(workerPack).catch((error: unknown) => {
      download = null;
      throw error;
    }));
  const answer = (send: (reply: FastifyReply, download: Download) => unknown) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const found = await read().catch((error: unknown) => {
        request.log.warn({ err: error }, "this installation has no packed worker");
        throw new Problem("not_found", { detail: MISSING });
      });
      reply.header("Cache-Control", "no-cache");
      return send(reply, found);
    };
  };
  server.mountDocument(
    `/worker/${FILE}`,
    answer((reply, { archive }) => reply.type("application/gzip").send(archive)),
  );
  server.mountDocument(
    "/worker/install.json",
    answer((_reply, { archive, sha256 }) => ({ panel: server.url(), file: FILE, bytes: archive.length, sha256 })),
  );
  server.mountDocument(
    "/worker/install.sh",
    answer(async (reply, { sha256 }) =>
      reply
        .type("text/x-shellscript; charset=utf-8")
        .send(installScript(await readFile(SCRIPT, "utf8"), { panel: server.url(), sha256 })),
    ),
  );
}

const MISSING = "This installation has no packed worker. In a clone, install the tools of development: npm ci.";

async function readDownload(workerPack: WorkerPack | undefined): Promise<Download> {
  if (workerPack === undefined) throw new Error("no packed worker was configured");
  const archive = await readFile(await workerPack());
  return { archive, sha256: createHash("sha256").update(archive).digest("hex") };
}

/** Uses the configured address, never a header: a forged `Host` would install somebody else's worker. */
function installScript(
  template: string,
  { panel, sha256 }: { readonly panel: string; readonly sha256: string },
): string {
  return template
    .replaceAll("@PANEL@", () => `'${panel.replaceAll("'", String.raw`'\''`)}'`)
    .replaceAll("@SHA256@", () => sha256);
}
