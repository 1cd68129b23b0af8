/** How large a change is, from `git diff --numstat -z`. */
export interface DiffSize {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Of these lines, those in lock files. */
  readonly lockLines?: number;
}

/** Package managers write them: one update can change thousands of lines that nobody reads. */
const LOCK_FILES = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "uv.lock",
  "poetry.lock",
  "Pipfile.lock",
  "Cargo.lock",
  "go.sum",
  "composer.lock",
  "Gemfile.lock",
]);

/** Of a binary file both counts are "-": it is one file of no lines. */
export function readDiffSize(rows: readonly string[]): DiffSize {
  const size = { files: rows.length, insertions: 0, deletions: 0, lockLines: 0 };
  for (const row of rows) {
    const [added, removed, path = ""] = row.split("\t");
    const [insertions, deletions] = [Number(added) || 0, Number(removed) || 0];
    size.insertions += insertions;
    size.deletions += deletions;
    if (LOCK_FILES.has(path.slice(path.lastIndexOf("/") + 1))) size.lockLines += insertions + deletions;
  }
  return size;
}
