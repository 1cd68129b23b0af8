/**
 * Unpacks an untrusted image archive in a sandbox without privileges where only the target is writable. No entry can escape, create a
 * device or change an owner.
 */
import { lstat, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../../process/folders.ts";
import { runProcess } from "../../process/run-process.ts";
import { createTail } from "../../process/tail.ts";

export interface UnpackOptions {
  readonly bwrap: string;
  readonly archive: string;
  /** Empty, and private to the worker. */
  readonly root: string;
}

/** Throws the reason on failure. */
export async function unpack({ bwrap, archive, root }: UnpackOptions): Promise<void> {
  const inside = (argv: readonly string[]) => stderrOf([bwrap, ...sandboxArgs(root), "--", ...argv]);
  // Drop setuid bits and permissions of other users.
  const tarOptions = ["--no-same-owner", "--no-same-permissions", "--delay-directory-restore"];
  const stderr = await inside(["tar", "--extract", "--file", archive, ...tarOptions, "--directory", root]);
  const issues = stderr.split("\n").filter((line) => line !== "" && !HARMLESS.test(line));
  if (issues.length > 0) throw new Error(`the image cannot be unpacked: ${issues[0]}`);
  const closed = await inside(["chmod", "-R", "u+rwX,go-w,a-st", "--", root]);
  if (closed !== "") throw new Error(`the image cannot be unpacked: ${closed.split("\n")[0]}`);
  await createMountTargets(root);
  // The folder must survive a power failure.
  await inside(["sync", "--file-system", root]);
}

function sandboxArgs(root: string): readonly string[] {
  const namespaces = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--cap-drop", "ALL"];
  return [...namespaces, "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", root, root];
}

/** Devices need privileges and are skipped; absolute paths are relative to the folder. */
const HARMLESS =
  /^tar: (?:.*: Cannot mknod: Operation not permitted|Removing leading .*|Exiting with failure status due to previous errors)$/;
const UNPACK_MS = 30 * 60_000;

/** The errors; empty on success. */
async function stderrOf(argv: readonly string[]): Promise<string> {
  const stderr = createTail(64 * 1024);
  const end = await runProcess({
    argv,
    cwd: "/",
    environment: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    limits: { timeoutMs: UNPACK_MS, outputBytes: 16 * 1024 * 1024 },
    signal: new AbortController().signal,
    onStderr: stderr.push,
  });
  const isDone = end.kind === "exited" && end.code === 0;
  return isDone ? "" : stderr.text().trim() || end.kind.replaceAll("_", " ");
}

/** Bind targets of every sandbox: see `writeHostFiles`. */
const OURS = ["passwd", "group", "hosts", "resolv.conf"];

/** A bind mount over a file needs an existing file. Never follows a link, which would resolve against the host's root. */
async function createMountTargets(root: string): Promise<void> {
  const etc = join(root, "etc");
  const kind = await lstat(etc).catch(() => null);
  if (kind === null) await mkdir(etc);
  else if (!kind.isDirectory()) throw new Error("/etc is not a folder: the image is not a Linux file system");
  for (const name of OURS) {
    const path = join(etc, name);
    if ((await lstat(path).catch(() => null))?.isFile()) continue;
    await removeFolder(path);
    await (await open(path, "wx", 0o644)).close();
  }
}
