import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export type Arrived =
  | { readonly kind: "whole"; readonly path: string; readonly sha256: string; readonly bytes: number }
  | { readonly kind: "too_large" | "broken_off" };

interface Receiving {
  readonly folder: string;
  readonly source: Readable;
  readonly most: number;
}

/** Calls `work` with the file and deletes it afterwards unless it was moved. */
export async function receive<T>(
  { folder, source, most }: Receiving,
  work: (arrived: Arrived) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > most ? new TooMuch() : null, chunk);
    },
  });
  try {
    const arrived = await pipeline(source, count, createWriteStream(path, { mode: 0o600 })).then(
      (): Arrived => ({ kind: "whole", path, sha256: hash.digest("hex"), bytes }),
      (error: unknown): Arrived => {
        // A disk error is internal; an aborted upload is the sender's.
        if (error instanceof Error && "syscall" in error && error.syscall === "write") throw error;
        return { kind: error instanceof TooMuch ? "too_large" : "broken_off" };
      },
    );
    return await work(arrived);
  } finally {
    await rm(path, { force: true });
  }
}

class TooMuch extends Error {}
