/** Blobs in S3-compatible storage, named by hash below the prefix. The storage verifies the hash of each upload. */
import { createHash } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Blobs } from "../domain/delivery-repositories.ts";
import { createS3Client, type S3Client, type S3Options, storageError } from "./s3-client.ts";

const NAME = /^[0-9a-f]{64}$/;
const LIST_PAGE_SIZE = 1_000;

/** Checks that the bucket can be reached. Throws an operator-readable error. */
export async function s3Blobs(options: S3Options): Promise<Blobs> {
  const client = createS3Client(options);
  const { location } = options;
  await client.send({ method: "HEAD" });
  return {
    // Writes an existing blob again: its new time protects it from a concurrent sweep.
    async keep(path, sha256) {
      const body = await openAsBlob(path);
      await client.send({ method: "PUT", name: sha256, headers: { "X-Amz-Content-Sha256": sha256 }, body });
      await rm(path, { force: true });
    },
    read: (sha256) => download(sha256),
    async withFile(sha256, work) {
      const content = await download(sha256);
      if (content === null) return null;
      const folder = await mkdtemp(join(tmpdir(), "panel-blob-"));
      try {
        const path = join(folder, sha256);
        const hash = createHash("sha256");
        const hashing = new Transform({
          transform(chunk: Buffer, _encoding, done) {
            hash.update(chunk);
            done(null, chunk);
          },
        });
        await pipeline(content, hashing, createWriteStream(path, { mode: 0o600 }));
        if (hash.digest("hex") !== sha256) throw storageError(location, `returned a damaged object ${sha256}`);
        return await work(path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async sweep(storedBefore, isNeeded) {
      let swept = 0;
      for await (const { name, storedAt } of list(client, location.prefix)) {
        if (!NAME.test(name) || storedAt >= storedBefore || (await isNeeded(name))) continue;
        // Checks the age again: the blob may have been stored again since it was listed.
        const head = await client.send({ method: "HEAD", name });
        const at = Date.parse(head?.headers.get("Last-Modified") ?? "");
        if (Number.isNaN(at) || at >= storedBefore) continue;
        await (await client.send({ method: "DELETE", name }))?.body?.cancel();
        swept++;
      }
      return swept;
    },
  };

  async function download(sha256: string): Promise<Readable | null> {
    const response = await client.send({ method: "GET", name: sha256 });
    if (response === null) return null;
    if (response.body === null) return Readable.from([]);
    return withIdleTimeout(Readable.fromWeb(response.body), {
      timeoutMs: client.timeoutMs,
      error: () => storageError(location, "stopped in the middle of an object"),
    });
  }
}

interface IdleOptions {
  readonly timeoutMs: number;
  readonly error: () => Error;
}

/** Fails if no bytes arrive within the timeout. */
function withIdleTimeout(source: Readable, { timeoutMs, error }: IdleOptions): Readable {
  const stop = () => source.destroy(error());
  let timer = setTimeout(stop, timeoutMs);
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer);
      timer = setTimeout(stop, timeoutMs);
      done(null, chunk);
    },
  });
  const ended = () => clearTimeout(timer);
  pipeline(source, watch).then(ended, (cause: unknown) => {
    ended();
    watch.destroy(cause instanceof Error && cause.name === "StoreError" ? cause : error());
  });
  return watch;
}

interface ListedBlob {
  readonly name: string;
  readonly storedAt: number;
}

async function* list(client: S3Client, prefix: string): AsyncGenerator<ListedBlob> {
  const folder = prefix === "" ? "" : `${prefix}/`;
  const query = { "list-type": "2", prefix: folder, "max-keys": String(LIST_PAGE_SIZE) };
  for (let token: string | null = null; ;) {
    const more: Record<string, string> = token === null ? {} : { "continuation-token": token };
    const response = await client.send({ method: "GET", query: { ...query, ...more } });
    const text = (await response?.text()) ?? "";
    for (const [, entry = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const key = textIn(entry, "Key");
      yield { name: key.slice(folder.length), storedAt: Date.parse(textIn(entry, "LastModified")) };
    }
    token = textIn(text, "NextContinuationToken");
    if (token === "") return;
  }
}

/** Hashes, times and tokens contain no markup, only characters that XML must escape. */
function textIn(xml: string, element: string): string {
  const [, text = ""] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
