/**
 * A secret in a file of its own in the data folder, readable by its owner only, made by whichever process asks first. `link` gives the
 * finished file its name only if nobody else was first: processes that start at once all read the same secret.
 */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface SecretFile {
  readonly path: string;
  /** A new secret, for the first who asks. */
  readonly make: () => string;
  /** Whether a text can be the secret; a file that holds something else is refused. */
  readonly isWhole: (text: string) => boolean;
  /** What to do about a file that holds something else. */
  readonly remedy: string;
}

export async function secretFile(file: SecretFile): Promise<string> {
  const known = await readIfThere(file);
  if (known !== null) return known;

  await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
  const passing = `${file.path}.${process.pid}.${randomBytes(4).toString("hex")}.new`;
  await writeFile(passing, `${file.make()}\n`, { mode: 0o600, flush: true });
  try {
    await link(passing, file.path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(passing, { force: true });
  }
  return (await readIfThere(file)) ?? refuse(file);
}

async function readIfThere(file: SecretFile): Promise<string | null> {
  try {
    const text = (await readFile(file.path, "utf8")).trim();
    return file.isWhole(text) ? text : refuse(file);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function refuse({ path, remedy }: SecretFile): never {
  throw new Error(`The file ${path} holds no whole secret. ${remedy}`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
