/**
 * The current licence key. A rotated key arrives through the connection and is used from the next one on. A key file is updated before
 * the acknowledgement.
 */
import { open, readFile, rename } from "node:fs/promises";

export interface LicenseKey {
  readonly value: string;
  /** False for a key of an older generation, which is ignored. */
  rotate(value: string, generation: number): Promise<boolean>;
  /** The generation that the panel reports at each connection: the key was accepted. */
  confirm(generation: number): void;
  /** After a rejection: reads the file again. True where the key differs. */
  readAgain(): Promise<boolean>;
  secrets(): ReadonlyMap<string, string>;
}

export function createLicenseKey(first: string, file: string | null): LicenseKey {
  let value = first;
  let generation = 0;
  const keys = new Set([first]);

  return {
    get value() {
      return value;
    },
    async rotate(newer, itsGeneration) {
      if (itsGeneration < generation) return false;
      generation = itsGeneration;
      take(newer);
      if (file !== null) await writeKey(file, newer);
      return true;
    },
    confirm(current) {
      generation = Math.max(generation, current);
    },
    async readAgain() {
      if (file === null) return false;
      const read = await readKey(file);
      if (read === value) return false;
      take(read);
      return true;
    },
    secrets: () =>
      new Map([...keys].map((key, index) => [index === 0 ? "license_key" : `license_key_${index + 1}`, key])),
  };

  function take(newer: string): void {
    value = newer;
    keys.add(newer);
  }
}

export async function readKey(file: string): Promise<string> {
  return keyIn(await readFile(file, "utf8").catch((cause: Error) => unreadable(cause)), file);
}

/** Strips quotes and white space; rejects characters that no header can carry. `from`: the source, for errors. */
export function keyIn(text: string, from: string): string {
  const value = text.trim();
  if (!/^[!-~]+$/.test(value)) throw new Error(`${from} contains no valid license key.`);
  return value;
}

function unreadable(cause: Error): never {
  throw new Error(`reading the license key file failed: ${cause.message}`, { cause });
}

/** Atomic: a reader sees the old key or the new one. */
async function writeKey(file: string, value: string): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const handle = await open(part, "w", 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(`${value}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
}
