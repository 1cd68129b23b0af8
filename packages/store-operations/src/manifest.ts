/** `manifest.json` of a backup: its files with their hashes, and the facts read back from each store. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

export const MANIFEST = "manifest.json";

/** Relative, with slashes and without `..`, so that a manifest cannot name files outside its folder. */
const PATH = "^(?!.*(^|/)\\.{1,2}(/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$";

const NAME = "^[a-z]+$";

const File = Type.Object({
  service: Type.String({ pattern: NAME }),
  path: Type.String({ pattern: PATH, maxLength: 400 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
});

const BackedUpService = Type.Object({
  name: Type.String({ pattern: NAME }),
  copied_at: Type.String(),
  from: Type.Enum(["sqlite", "postgres"]),
  /** The newest migration of each component. */
  migrations: Type.Record(Type.String(), Type.Integer()),
  facts: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
  note: Type.Optional(Type.String()),
});

const Manifest = Type.Object({
  format: Type.Literal(1),
  program: Type.String(),
  created_at: Type.String(),
  /** The key ID of the secret in use; null if none was found. */
  secret_key_id: Type.Union([Type.String({ pattern: "^[0-9a-f]{10}$" }), Type.Null()]),
  services: Type.Array(BackedUpService, { minItems: 1 }),
  files: Type.Array(File, { minItems: 1 }),
});

export type Manifest = Static<typeof Manifest>;
export type BackupFile = Static<typeof File>;
export type BackedUpService = Static<typeof BackedUpService>;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch((cause: unknown) => {
    throw new Error(`${folder} is not a complete backup: it has no readable ${MANIFEST}.`, { cause });
  });
  let manifest: unknown = null;
  try {
    manifest = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (Value.Check(Manifest, manifest)) return manifest;
  throw new Error(`${join(folder, MANIFEST)} is damaged, or from another version of Triptych.`);
}

/** Describes the files of one service. */
export async function describeFiles(folder: string, service: string, paths: readonly string[]): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const path of paths) {
    const { size } = await stat(join(folder, path));
    files.push({ service, path, bytes: size, sha256: await sha256Of(join(folder, path)) });
  }
  return files;
}

/** Reads every file and returns the differences from the manifest. */
export async function fileIssues(
  folder: string,
  files: readonly BackupFile[],
  onRead: (bytes: number) => void = () => {},
): Promise<string[]> {
  const issues: string[] = [];
  for (const { path, bytes, sha256 } of files) {
    const found = await stat(join(folder, path)).catch(() => null);
    if (found?.isFile() !== true) issues.push(`${path}: missing`);
    else if (found.size !== bytes) issues.push(`${path}: ${found.size} bytes instead of ${bytes}`);
    else if ((await sha256Of(join(folder, path))) !== sha256) issues.push(`${path}: its content has changed`);
    onRead(bytes);
  }
  return issues;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

/** One error that lists all issues. */
export function issuesError(what: string, issues: readonly string[]): Error {
  return new Error(`${what}:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
}
