/** Folders that a run lived in: what is in them was made by programs that nobody knows, with any rights and any links. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
const LIMIT_MS = 300_000;

/** Into a folder that is empty and ours alone. Links stay links; what cannot be read is left out. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await run("cp", ["-a", "--", `${from}/.`, to], { env: ENVIRONMENT, timeout: LIMIT_MS }).catch(() => {});
}

/**
 * Whole, to a path where nothing is: throws where anything of it cannot be read. A program of its own: of ten thousand small files each
 * would else cost several turns of this process. Where the file system can, a copy shares what is not written to.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  await run("cp", ["-a", ...SHARING, "--", from, to], { env: ENVIRONMENT, timeout: LIMIT_MS });
}

/** Words of GNU's `cp` alone. */
const SHARING = process.platform === "linux" ? ["--reflink=auto"] : [];

/** A package manager may have made its folders read-only (Go does): what cannot be emptied is opened first. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run("chmod", ["-R", "u+rwX", "--", path], { env: ENVIRONMENT, timeout: LIMIT_MS }).catch(() => {});
    await rm(path, { recursive: true, force: true });
  }
}
