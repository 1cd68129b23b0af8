/**
 * The current license key. A rotated key arrives through the connection and is used from the next one on. A key file is updated before
 * the acknowledgement.
 */
import { open, readFile, rename } from "node:fs/promises";
import type { PanelFrame } from "@triptych/contracts";
import { frameText } from "../session/frames.ts";
import type { Connection } from "./connection.ts";

export interface LicenseKey {
  readonly value: string;
  /** False for a key of an older generation, which is ignored. */
  rotate(value: string, generation: number): Promise<boolean>;
  /** Called at each connection with the generation that the panel reports, because it has accepted the key. */
  confirm(generation: number): void;
  /** After a rejection: reads the file again. True if the key differs. */
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

/** Writes atomically: a reader sees either the old key or the new one. */
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

interface KeyChangeContext {
  readonly key: LicenseKey;
  readonly connection: Connection;
  readonly log: (text: string) => void;
}

type Rotation = Extract<PanelFrame, { readonly t: "token_rotated" }>;

export async function onTokenRotated(
  { cid, license_key, generation }: Rotation,
  { key, connection, log }: KeyChangeContext,
): Promise<void> {
  try {
    if (await key.rotate(license_key, generation)) {
      connection.useKey(key.value);
      log("license key rotated; the next connection uses the new key");
    }
    connection.send(frameText({ t: "ack", cid }));
  } catch (error) {
    // The rotation is not acknowledged, because the next start would use the old key.
    connection.useKey(key.value);
    log(`writing the new license key to its file failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function onTokenRejected({ key, connection, log }: KeyChangeContext): Promise<void> {
  const isNew = await key.readAgain().catch(() => false);
  if (isNew) connection.useKey(key.value);
  log(isNew ? OTHER_KEY : REFUSED_KEY);
}

const OTHER_KEY = "license key rejected; its file contains another key, retrying with it in one minute";
const REFUSED_KEY =
  "license key rejected: it was rotated, or belongs to another panel. Restart the worker with the current key in --token-file or PANEL_TOKEN; the dashboard shows it under Account. Retrying in one minute.";
