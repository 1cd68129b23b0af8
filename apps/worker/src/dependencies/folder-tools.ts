/** System programs on the folders of an entry: file names are bytes, links stay links, and thousands of files do not block the event loop. */
import { runProgram } from "@triptych/process-spawner";

const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
const LIMIT_MS = 300_000;
const OUTPUT_BYTES = 128 * 1024 * 1024;

interface SystemProgram {
  readonly argv: readonly [string, ...string[]];
  readonly folder: string;
  readonly input?: Buffer;
  /** Exit codes that are results. */
  readonly accepts?: readonly number[];
  readonly signal?: AbortSignal;
}

async function run({ argv, folder, input, accepts = [0], signal }: SystemProgram): Promise<Buffer> {
  const [program, ...args] = argv;
  const limits = { timeoutMs: LIMIT_MS, outputBytes: OUTPUT_BYTES };
  const ended = await runProgram({ program, args, folder, environment: ENVIRONMENT, input, ...limits }, signal);
  signal?.throwIfAborted();
  if (ended.how === "exited" && accepts.includes(ended.code)) return ended.printed;
  throw new Error(`${program} failed: ${ended.stderr.trim() || ended.how}`);
}

/** Copies paths of `from` with their parent folders. `paths`: each ends with NUL. */
export async function copyPaths(from: string, paths: Buffer, to: string, signal?: AbortSignal): Promise<void> {
  if (paths.length === 0) return;
  const argv = ["xargs", "-0", "cp", "-a", "--reflink=auto", "--parents", "-t", to, "--"] as const;
  await run({ argv: [...argv], folder: from, input: paths, ...(signal && { signal }) });
}

/** Copies into an existing folder. A folder never replaces a link, and a file never follows one. */
export async function copyInto(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const argv = ["cp", "-a", "--reflink=auto", "--remove-destination", "--", `${from}/.`, to] as const;
  await run({ argv: [...argv], folder: "/", ...(signal && { signal }) });
}

export interface Listed {
  readonly line: string;
  readonly bytes: number;
}

/** Name, kind, mode, size, ctime, inode and link target of each file below `folder`. */
export async function listFiles(folder: string): Promise<readonly Listed[]> {
  const format = "%b\\t%P\\t%y\\t%m\\t%s\\t%C@\\t%i\\t%l\\0";
  const printed = await run({ argv: ["find", ".", "-mindepth", "1", "-printf", format], folder });
  const records = printed.toString("latin1").split("\0").filter(Boolean);
  return records.map((line) => ({ line, bytes: Number(line.slice(0, line.indexOf("\t"))) * BLOCK_BYTES }));
}

const BLOCK_BYTES = 512;

export interface PathMentions {
  readonly text: readonly string[];
  readonly binary: readonly string[];
  /** Absolute links to below one of the paths. */
  readonly links: readonly string[];
}

/** Files below `folder` that contain one of the absolute paths. */
export async function findMentions(folder: string, paths: readonly string[]): Promise<PathMentions> {
  const patterns = paths.flatMap((path) => ["-e", path]);
  const grep = async (flags: string) => {
    const argv = ["grep", flags, ...patterns, "--", "."] as const;
    return namesIn(await run({ argv: [...argv], folder, accepts: [0, 1] }));
  };
  const all = await grep("-rlZF");
  const text = new Set(all.length === 0 ? [] : await grep("-rlZIF"));
  const named = paths.flatMap((path) => ["-lname", `${escapeGlob(path)}*`, "-o"]).slice(0, -1);
  const links = await run({ argv: ["find", ".", "-type", "l", "(", ...named, ")", "-print0"], folder });
  return { text: [...text], binary: all.filter((name) => !text.has(name)), links: namesIn(links) };
}

function namesIn(printed: Buffer): readonly string[] {
  return printed.toString("utf8").split("\0").filter(Boolean);
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, "\\$&");
}
