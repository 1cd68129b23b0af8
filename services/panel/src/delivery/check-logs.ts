/** Logs of a run's checks, from the artifacts that its worker uploaded. */
import { createRedactor } from "@triptych/redaction";
import type { Readable } from "node:stream";
import { logNames } from "../domain/check-logs.ts";
import type { Blobs, UploadRepository } from "../domain/delivery-repositories.ts";
import type { LogTails } from "../domain/pr-checks.ts";
import type { RunRecord } from "../domain/records.ts";

/** More than 40 ordinary lines; the excerpt is cut again. */
const TAIL_BYTES = 64 * 1024;

const redactor = createRedactor(new Map());

export type StoredLogs = ReadonlyMap<string, { readonly sha256: string; readonly bytes: number }>;

/** Digests of the stored bytes, which the panel has redacted and hashed itself. */
export async function findLogs(uploads: UploadRepository, { id, facts }: RunRecord): Promise<StoredLogs> {
  const stored = new Map<string, { readonly sha256: string; readonly bytes: number }>();
  for (const name of logNames(facts.logs)) {
    const artifact = await uploads.artifact(id, name);
    if (artifact !== null) stored.set(name, { sha256: artifact.storedSha256, bytes: artifact.bytes });
  }
  return stored;
}

/** Ends of the logs before the change and after the last attempt; null if there is none. */
export async function readLogTails(
  { uploads, blobs }: { readonly uploads: UploadRepository; readonly blobs: Blobs },
  run: RunRecord,
): Promise<LogTails> {
  const { logs } = run.facts;
  const stored = await findLogs(uploads, run);
  const tail = async (name: string | null | undefined): Promise<string | null> => {
    const sha256 = name === null || name === undefined ? undefined : stored.get(name)?.sha256;
    const source = sha256 === undefined ? null : await blobs.read(sha256);
    return source === null ? null : redactor.text(await endOf(source));
  };
  const after = logs?.attempts.at(-1);
  return {
    verify: { before: await tail(logs?.baseline.verify), after: await tail(after?.verify) },
    gate: { before: await tail(logs?.baseline.gate), after: await tail(after?.gate) },
  };
}

async function endOf(source: Readable): Promise<string> {
  let end = Buffer.alloc(0);
  for await (const chunk of source)
    end = Buffer.concat([end, Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))]).subarray(-TAIL_BYTES);
  return end.toString("utf8");
}
