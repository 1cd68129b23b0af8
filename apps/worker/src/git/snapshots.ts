/**
 * Separates an agent's changes from by-products of setup and checks. A snapshot is a tree of all that git would add; paths that differ
 * across a round belong to the agent. The delivery is the base with these paths applied.
 */
import { readDiffSize, type Change, type DiffSize } from "@triptych/change-policy";
import type { Git } from "@triptych/git";

export interface Snapshots {
  /** The tree id of the current files. */
  take(): Promise<string>;
  /** Paths that differ between two trees, bytes as latin1. */
  between(before: string, after: string): Promise<readonly string[]>;
  /** The base with these paths as in `tree`; a path missing there is removed. */
  deliver(paths: readonly string[], tree: string): Promise<string>;
  changes(tree: string): Promise<readonly Change[]>;
  size(tree: string): Promise<DiffSize>;
}

/** `indexFolder`: the folder of the run's two indexes, outside the tree. */
export function createSnapshots(git: Git, baseSha: string, indexFolder: string): Snapshots {
  // Reused between snapshots: only files whose time or size changed are read again.
  const seen = { GIT_INDEX_FILE: `${indexFolder}/seen.index` };
  const delivered = { GIT_INDEX_FILE: `${indexFolder}/delivered.index` };
  let isBegun = false;

  return {
    async take() {
      if (!isBegun) await git.run(["read-tree", baseSha], { environment: seen });
      isBegun = true;
      await git.run(["add", "--all", "--", "."], { environment: seen });
      return lineOf(await git.run(["write-tree"], { environment: seen }));
    },
    async between(before, after) {
      return (await entries(git, before, after)).map(({ path }) => path);
    },
    async deliver(paths, tree) {
      const selected = new Set(paths);
      const taken = (await entries(git, baseSha, tree)).filter(({ path }) => selected.has(path));
      const lines = taken.map(({ modeAfter, idAfter, path }) => `${modeAfter} ${idAfter}\t${path}\0`);
      await git.run(["read-tree", baseSha], { environment: delivered });
      // Removals first: a folder may have replaced a file.
      const ordered = [...lines.filter(isRemoval), ...lines.filter((line) => !isRemoval(line))];
      const input = Buffer.from(ordered.join(""), "latin1");
      await git.run(["update-index", "-z", "--index-info"], { environment: delivered, input });
      return lineOf(await git.run(["write-tree"], { environment: delivered }));
    },
    async changes(tree) {
      const found = await entries(git, baseSha, tree);
      const changes: Change[] = [];
      // Sequential, because a tree full of links would otherwise start as many processes in parallel.
      for (const entry of found) changes.push(await changeOf(git, entry));
      return changes;
    },
    async size(tree) {
      const listed = await git.run([...DIFF, "--numstat", baseSha, tree]);
      return readDiffSize(listed.toString("latin1").split("\0").filter(Boolean));
    },
  };
}

interface Entry {
  readonly modeBefore: string;
  readonly modeAfter: string;
  readonly idAfter: string;
  /** Bytes as latin1: names in git need not be UTF-8, and must round-trip. */
  readonly path: string;
}

const DIFF = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
const SYMBOLIC_LINK = "120000";

async function entries(git: Git, before: string, after: string): Promise<Entry[]> {
  const fields = (await git.run([...DIFF, "--raw", "--no-abbrev", before, after])).toString("latin1").split("\0");
  const found: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore, modeAfter, , idAfter] = fields[at].slice(1).split(" ");
    found.push({ modeBefore, modeAfter, idAfter, path: fields[at + 1] });
  }
  return found;
}

async function changeOf(git: Git, { path, modeBefore, modeAfter, idAfter }: Entry): Promise<Change> {
  const isLink = modeAfter === SYMBOLIC_LINK;
  const linksTo = isLink ? (await git.run(["cat-file", "blob", idAfter])).toString("latin1") : null;
  return { path: decodePath(path), modeBefore, modeAfter, linksTo };
}

/** The name as UTF-8, for rules and people. */
export function decodePath(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

function isRemoval(line: string): boolean {
  return line.startsWith("000000 ");
}

function lineOf(printed: Buffer): string {
  return printed.toString("latin1").trim();
}
