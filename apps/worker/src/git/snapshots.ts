/**
 * What an agent changed, and nothing that setup or checks left lying about. A snapshot is a tree of everything that git would add; the
 * paths that differ between the snapshots around a round are the agent's. What is delivered is the base with these paths taken over,
 * so a coverage report that the verify command wrote, or a lock file that setup touched, never reaches a pull request by itself.
 */
import { readDiffSize, type Change, type DiffSize } from "@triptych/change-policy";
import type { Git } from "./git.ts";

export interface Snapshots {
  /** The id of a tree that holds the files as they are now. */
  take(): Promise<string>;
  /** Paths that differ between two trees, byte for byte as latin1. */
  between(before: string, after: string): Promise<readonly string[]>;
  /** The base with these paths as they are in `tree`; a path that is missing there is missing in the answer. */
  deliver(paths: readonly string[], tree: string): Promise<string>;
  /** Every path that differs between the base and a tree that is to be delivered. */
  changes(tree: string): Promise<readonly Change[]>;
  size(tree: string): Promise<DiffSize>;
}

/** `indexFolder`: where the two indexes of this run are kept, outside the tree. */
export function createSnapshots(git: Git, baseSha: string, indexFolder: string): Snapshots {
  // Kept from one snapshot to the next: only files whose time or size changed are read again.
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
      // Removals first: a folder may have taken the place of a file.
      const ordered = [...lines.filter(isRemoval), ...lines.filter((line) => !isRemoval(line))];
      const input = Buffer.from(ordered.join(""), "latin1");
      await git.run(["update-index", "-z", "--index-info"], { environment: delivered, input });
      return lineOf(await git.run(["write-tree"], { environment: delivered }));
    },
    async changes(tree) {
      const found = await entries(git, baseSha, tree);
      const changes: Change[] = [];
      // One after the other: a tree of links would else start as many processes at once.
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
  /** Bytes as latin1: names in git need not be UTF-8, and must come back as they were. */
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

/** For rules and people: the name as UTF-8. */
export function decodePath(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

function isRemoval(line: string): boolean {
  return line.startsWith("000000 ");
}

function lineOf(printed: Buffer): string {
  return printed.toString("latin1").trim();
}
