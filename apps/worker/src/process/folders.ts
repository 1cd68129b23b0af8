/** Copies and removes folders of runs: unknown programs created their contents, with any permissions and any links. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
const LIMIT_MS = 300_000;

/** Into an empty folder of the worker. Links stay links; unreadable files are skipped. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await run("cp", ["-a", "--", `${from}/.`, to], { env: ENVIRONMENT, timeout: LIMIT_MS }).catch(() => {});
}

/**
 * Copies to an unused path; throws if any file is unreadable. Uses an external `cp`, because ten thousand small files would block the event
 * loop. Uses reflinks where supported.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  await run("cp", ["-a", ...SHARING, "--", from, to], { env: ENVIRONMENT, timeout: LIMIT_MS });
}

const SHARING = process.platform === "linux" ? ["--reflink=auto"] : [];

/** Some package managers make their folders read-only (Go does), so they are made writable first. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run("chmod", ["-R", "u+rwX", "--", path], { env: ENVIRONMENT, timeout: LIMIT_MS }).catch(() => {});
    await rm(path, { recursive: true, force: true });
  }
}
