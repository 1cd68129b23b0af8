/**
 * The licence key as this worker knows it. A rotated one comes through the channel and is used from the next connection on; where the
 * key came from a file, the file holds the new one before the panel is told that it arrived.
 */
import { open, readFile, rename } from "node:fs/promises";

export interface LicenseKey {
  readonly value: string;
  /** False for a key of an older generation: it is not taken. */
  rotate(value: string, generation: number): Promise<boolean>;
  /** As the panel says it, at each connection: the key was good there. */
  confirm(generation: number): void;
  /** After a refusal: what the file holds by now. True where that is another key. */
  readAgain(): Promise<boolean>;
  /** Every key that this worker has had, by a name. */
  secrets(): ReadonlyMap<string, string>;
}

/** `file`: where it came from and is kept, or null. */
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

/** What a shell or an editor put around it is taken off; what no header can carry is no key. `from`: where it stood. */
export function keyIn(text: string, from: string): string {
  const value = text.trim();
  if (!/^[!-~]+$/.test(value)) throw new Error(`${from} holds no licence key.`);
  return value;
}

function unreadable(cause: Error): never {
  throw new Error(`the licence key cannot be read from its file: ${cause.message}`, { cause });
}

/** A reader sees the old key or the new one, never half of one. */
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
