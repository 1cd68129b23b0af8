/**
 * Other users must not have access to the data folder and its secret files. In production, the service refuses to
 * start, because the secrets may have been copied. In development, it corrects the modes and logs them.
 */
import { chmod, mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError } from "@triptych/config";

export interface DataFolderOptions {
  readonly path: string;
  readonly isProduction: boolean;
  readonly logger: { warn(details: { readonly path: string; readonly mode: string }, message: string): void };
}

interface OpenPath {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly requiredMode: "600" | "700";
}

const SECRET_FILES = ["secret-key", "secret-key.previous", "credentials.json", "service-token"];
const GROUP_AND_OTHERS = 0o077;
const STICKY = 0o1000;

/** Creates the folder if it is missing. Throws ConfigError. */
export async function openDataFolder(options: DataFolderOptions): Promise<string> {
  const folder = resolve(options.path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Windows has no POSIX file modes.
  if (process.getuid === undefined) return folder;

  const files = (await Promise.all(SECRET_FILES.map((name) => statIfThere(join(folder, name), "600")))).flat();
  const paths = [...(await statIfThere(folder, "700")), ...files].filter(({ mode }) => mode & GROUP_AND_OTHERS);
  if (options.isProduction && paths.length > 0) throw new ConfigError(paths.map(refusal));

  const uid = process.getuid();
  // A folder such as /tmp, or one without secret files, may be shared with other programs.
  const isOurs = (entry: OpenPath) =>
    entry.uid === uid && (entry.path !== folder || (files.length > 0 && (entry.mode & STICKY) === 0));
  for (const entry of paths) {
    if (isOurs(entry)) await chmod(entry.path, Number.parseInt(entry.requiredMode, 8));
    const message = isOurs(entry)
      ? `Other users had access: the mode was set to 0${entry.requiredMode}`
      : `Other users have access: run chmod ${entry.requiredMode} on this path`;
    options.logger.warn({ path: entry.path, mode: octal(entry.mode) }, message);
  }
  return folder;
}

async function statIfThere(path: string, requiredMode: OpenPath["requiredMode"]): Promise<OpenPath[]> {
  const found = await stat(path).catch(() => null);
  return found === null ? [] : [{ path, mode: found.mode & 0o7777, uid: found.uid, requiredMode }];
}

function refusal({ path, mode, requiredMode }: OpenPath): string {
  return `TRIPTYCH_DATA: other users have access to ${path} (mode ${octal(mode)}); run chmod ${requiredMode} ${path}`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
