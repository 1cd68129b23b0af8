/**
 * `credentials.json` in the data folder: credentials created at first start, readable by its owner only. Each service
 * writes its own section. The caller must hold a lock while reading and writing.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@triptych/util";

export type CredentialsSection = Readonly<Record<string, unknown>>;

/** Returns the section of a service, or null if there is none. An unreadable file counts as empty. */
export async function readCredentialsFile(folder: string, service: string): Promise<CredentialsSection | null> {
  const sections = await readAll(folder);
  const section = sections[service];
  return isRecord(section) ? section : null;
}

export async function writeCredentials(folder: string, service: string, section: CredentialsSection): Promise<void> {
  const sections = { ...(await readAll(folder)), [service]: section };
  const path = fileIn(folder);
  const passing = `${path}.${process.pid}.new`;
  await writeFile(passing, `${JSON.stringify(sections, null, 2)}\n`, { mode: 0o600 });
  await rename(passing, path);
}

function fileIn(folder: string): string {
  return join(folder, "credentials.json");
}

async function readAll(folder: string): Promise<Record<string, unknown>> {
  const text = await readFile(fileIn(folder), "utf8").catch(() => "{}");
  try {
    const sections: unknown = JSON.parse(text);
    return isRecord(sections) ? sections : {};
  } catch {
    return {};
  }
}
