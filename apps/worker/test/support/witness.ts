/** Detects the end of the last process with an open named pipe: the kernel then closes the pipe, without polling. */
import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

export async function openWitness() {
  const folder = await mkdtemp(join(tmpdir(), "witness-"));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const gone = finished(createReadStream(path).resume());
  return { path, gone, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
