/** The inputs of checks: the tree as git lists it, its history, and commands in copies. */
import { isUtf8 } from "node:buffer";
import { createMatcher } from "@triptych/change-policy";
import type { Git } from "@triptych/git";
import type { RunContext } from "../run-context.ts";
import { tryCommand, type Copies } from "./scratch-copies.ts";
import type { ExploreRequest } from "./explore-request.ts";
import { treeOf, type Tree, type TreeFile } from "../../scouts/reading/tree.ts";
import type { NetworkAccess } from "../../scouts/network-access.ts";
import type { ScanContext, TriedCommand } from "../../scouts/scan/check.ts";
import { createRegistry, type Registry } from "../../scouts/scan/registry.ts";

export interface ScanContextOptions {
  readonly request: ExploreRequest;
  /** The tree after setup. */
  readonly ready: RunContext;
  readonly copies: Copies;
  readonly network: NetworkAccess;
  readonly now: number;
}

export async function createScanContext(
  context: RunContext,
  { request, ready, copies, network, now }: ScanContextOptions,
): Promise<ScanContext> {
  const { verify, clone } = request;
  let verified: Promise<readonly TriedCommand[]> | null = null;
  let registry: Promise<Registry> | null = null;
  const findRegistry = async () => createRegistry(await network.registryAddress(), network.fetch);
  return {
    tree: await trackedTree(context, { root: context.tree, sha: clone.sha }),
    verifyCommand: verify.command,
    verifyTimeoutS: verify.timeoutS,
    verifyTwice: () => (verified ??= verifyTwice(ready, copies)),
    blame: (path, lines) => blame(context.git, { path, lines, sha: clone.sha }),
    today: now,
    registry: () => (registry ??= findRegistry()),
    fetch: request.isolation.network === "open" ? network.fetch : null,
    deps: request.deps,
    tools: { ...network.tools, fetch: network.fetch },
    isProtected: createMatcher(request.protectedPaths),
  };
}

interface TreeAt {
  readonly root: string;
  readonly sha: string;
}

async function trackedTree({ git, reporter }: RunContext, { root, sha }: TreeAt): Promise<Tree> {
  const listed = (await git.run(["ls-tree", "-r", "-l", "-z", sha])).toString("latin1");
  let undecodable = 0;
  const files = listed.split("\0").flatMap((entry): TreeFile[] => {
    const [, mode, bytes, name] = /^(\d+) blob \S+ +(\d+)\t(.+)$/s.exec(entry) ?? [];
    if (name === undefined) return [];
    const encoded = Buffer.from(name, "latin1");
    // A name that is not UTF-8 could not be written into a gate.
    if (!isUtf8(encoded)) undecodable++;
    return isUtf8(encoded) ? [{ path: encoded.toString("utf8"), bytes: Number(bytes), isLink: mode === "120000" }] : [];
  });
  if (undecodable > 0) {
    const text = `skipped ${undecodable} file${undecodable === 1 ? "" : "s"} whose name is not UTF-8`;
    reporter.say({ from: { role: "worker" }, kind: "log", text, round: 1 });
  }
  return treeOf(root, files);
}

async function verifyTwice(ready: RunContext, copies: Copies): Promise<readonly TriedCommand[]> {
  const { command, timeoutS } = ready.request.verify;
  if (command === null) return [];
  const run = () => copies.inCopy(ready, (context) => tryCommand(context, command, timeoutS));
  return [await run(), await run()];
}

interface BlameRequest {
  readonly path: string;
  readonly lines: readonly number[];
  readonly sha: string;
}

/** Each line becomes a range on the command line. */
const LINES_MAX = 500;

async function blame(git: Git, { path, lines, sha }: BlameRequest): Promise<ReadonlyMap<number, number>> {
  const ranges = lines.slice(0, LINES_MAX).flatMap((line) => ["-L", `${line},${line}`]);
  const output = (await git.run(["blame", "--porcelain", ...ranges, sha, "--", path])).toString("latin1");
  const written = new Map<string, number>();
  const dates = new Map<number, number>();
  let [commit, line] = ["", 0];
  for (const text of output.split("\n")) {
    const [, id, lineNumber] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text) ?? [];
    if (id !== undefined) [commit, line] = [id, Number(lineNumber)];
    else if (text.startsWith("author-time ")) written.set(commit, Number(text.slice("author-time ".length)) * 1000);
    else if (text.startsWith("\t")) dates.set(line, written.get(commit) ?? NaN);
  }
  return dates;
}
