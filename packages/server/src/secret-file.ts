/**
 * A secret in its own file in the data folder, readable by its owner only. `link` publishes the complete file
 * atomically, so that processes that start together read the same secret.
 */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface SecretFile {
  readonly path: string;
  readonly make: () => string;
  readonly isWhole: (text: string) => boolean;
  readonly remedy: string;
}

export async function secretFile(file: SecretFile): Promise<string> {
  const existing = await readIfThere(file);
  if (existing !== null) return existing;

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

/**
 * One token for all services of a data folder, created by the first service that starts. `variables` can override it.
 */
export function serviceTokenFile(
  dataFolder: string,
  form: Pick<SecretFile, "make" | "isWhole">,
  variables: string,
): Promise<string> {
  return secretFile({
    ...form,
    path: join(dataFolder, "service-token"),
    remedy: `Remove it to create a new one at the next start, or set ${variables}.`,
  });
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
  throw new Error(`The file ${path} does not contain a complete secret. ${remedy}`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
