/**
 * The output of a batch: one answer per line, in input order. The file also records the progress: lines in it are done.
 * The next run removes a line that a kill truncated.
 */
import { createHash } from "node:crypto";
import { open, stat, type FileHandle } from "node:fs/promises";
import { canonicalJson } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { readLines } from "../deciding/read-lines.ts";
import type { InputLine } from "./input.ts";

export interface OutputLine {
  readonly line: number;
  /** Digest of the request, to detect a changed input. */
  readonly request_sha256: string;
  readonly answer: unknown;
  readonly charge?: string;
  readonly cost_micro: number;
}

/** No server of the supported APIs sends larger answers. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export function requestDigest(body: InputLine["body"]): string {
  return createHash("sha256").update(canonicalJson(body)).digest("hex");
}

export interface FinishedPart {
  readonly lines: number;
  readonly costMicro: number;
  /** Digests of the requests, by line. */
  readonly digests: readonly string[];
  /** Total bytes of the complete lines. */
  readonly bytes: number;
}

/** Throws an Error if the file is not the output of a batch. */
export async function readFinished(file: string): Promise<FinishedPart> {
  const digests: string[] = [];
  let costMicro = 0;
  let bytes = 0;
  if (!(await exists(file))) return { lines: 0, costMicro, digests, bytes };
  for await (const { number, text, end, isComplete } of readLines(file, ANSWER_BYTES_MAX)) {
    if (!isComplete) break;
    const line = outputLineIn(text);
    if (line?.line !== number)
      throw new Error(
        `${file} is not the output of a batch: line ${number} is not answer ${number}. Choose another file.`,
      );
    digests.push(line.request_sha256);
    costMicro += line.cost_micro;
    bytes = end;
  }
  return { lines: digests.length, costMicro, digests, bytes };
}

function outputLineIn(text: string | null): Omit<OutputLine, "answer"> | null {
  const value = parsed(text ?? "");
  if (!isRecord(value)) return null;
  const { line, request_sha256: digest, cost_micro: costMicro } = value;
  if (typeof line !== "number" || typeof digest !== "string" || typeof costMicro !== "number") return null;
  return { line, request_sha256: digest, cost_micro: costMicro };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    },
  );
}

export interface OutputFile extends AsyncDisposable {
  append(line: OutputLine): Promise<void>;
}

/** Opens the file to continue after the complete lines. */
export async function openOutput(file: string, { bytes }: Pick<FinishedPart, "bytes">): Promise<OutputFile> {
  const handle: FileHandle = await open(file, "a", 0o600);
  await handle.truncate(bytes);
  return {
    // One write per line, so that a kill can leave only the last line incomplete.
    append: async (line) => void (await handle.write(`${JSON.stringify(line)}\n`)),
    async [Symbol.asyncDispose]() {
      await handle.sync();
      await handle.close();
    },
  };
}
