/** `triptych run verify`: verifies a signed statement and its commit; works offline with saved keys. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { patchIdOf, verifyStatement } from "@triptych/client";
import { getStatementKeys, type RunStatement } from "@triptych/contracts";
import { createGit, GitError, type Git } from "@triptych/git";
import type { Command } from "commander";
import { cleanText, onCall, type Call, type Context } from "./context.ts";
import { UsageError } from "./profile.ts";

interface VerifyOptions {
  readonly repo?: string;
  readonly jwks?: string;
}

interface Issue {
  readonly field: string;
  readonly reason: string;
}

type KeySet = Parameters<typeof verifyStatement>[1];

const STATUS = "\nExit status: 0 valid, 1 invalid, 2 not checked.";
const FETCH_MS = 10_000;

export function addVerify(run: Command, context: Context): void {
  const verify = run
    .command("verify")
    .description("verify the signed statement of a run, and that a repository contains its commit")
    .argument("<file>", "statement from GET /api/runs/{id}/statement, or - for standard input")
    .option("--repo <path>", "local repository: commit, parents and patch ID must match")
    .option("--jwks <url or file>", "key set of the panel (default: that of the profile's panel)")
    .addHelpText("after", STATUS);
  onCall<VerifyOptions>(verify, context, "panel", async (call, { repo, jwks }, command) => {
    const text = await readInput(call.args[0] ?? "", context);
    const verdict = await verifyStatement(text, await readKeys(jwks, call));
    if (!verdict.isGood) return fail(call, command, verdict);
    const { statement, kid } = verdict;
    const issue = repo === undefined ? null : await repositoryIssue(statement, gitIn(repo, context));
    if (issue !== null) return fail(call, command, issue);
    const isInRepo = repo !== undefined;
    call.print({ valid: true, kid, repository_checked: isInRepo, statement }, () => describe(statement, kid, isInRepo));
  });
}

/** With `--json`, scripts also read the field from standard output. */
function fail(call: Call, command: Command, { field, reason }: Issue): never {
  if (command.opts()["json"] === true) call.print({ valid: false, field, reason }, () => "");
  throw new Error(`Invalid: ${cleanText(field)}: ${cleanText(reason)}.`);
}

/** Null if the repository contains the commit as stated. */
async function repositoryIssue(statement: RunStatement, git: Git): Promise<Issue | null> {
  const { commit, base } = statement.predicate;
  const line = async (...args: readonly string[]) => (await git.run(args)).toString("utf8").trim();
  await line("rev-parse", "--git-dir").catch((error: unknown) => {
    throw new UsageError(`--repo is not a git repository: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!(await hasCommit(git, commit.sha)))
    return { field: "subject[0].digest.gitCommit", reason: `the repository does not contain the commit ${commit.sha}` };
  const [, ...parents] = (await line("rev-list", "--parents", "-n", "1", commit.sha)).split(" ");
  if (commit.parents !== null && commit.parents.join(" ") !== parents.join(" "))
    return { field: "predicate.commit.parents", reason: `the parents of the commit are ${parents.join(" ")}` };
  if (!(await hasCommit(git, base.sha)))
    return { field: "predicate.base.sha", reason: `the repository does not contain the commit ${base.sha}` };
  const patchId = await patchIdIn(git, base.sha, commit.sha);
  const index = statement.subject.findIndex(({ digest }) => "gitPatchId" in digest);
  return patchIdOf(statement) === patchId
    ? null
    : { field: `subject[${Math.max(index, 1)}].digest.gitPatchId`, reason: `the patch ID of the change is ${patchId}` };
}

async function hasCommit(git: Git, sha: string): Promise<boolean> {
  // Only full object IDs: git must not resolve a revision expression.
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)) return false;
  return git.run(["cat-file", "-e", `${sha}^{commit}`]).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false;
      throw error;
    },
  );
}

/** Computed as the panel does before a push. */
async function patchIdIn(git: Git, base: string, head: string): Promise<string | null> {
  const form = ["-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index"];
  const settings = { "core.quotePath": "true" };
  const input = await git.run(["diff-tree", ...form, base, head], { settings });
  const [id = ""] = (await git.run(["patch-id", "--stable"], { input })).toString("utf8").trim().split(" ");
  return id === "" ? null : id;
}

function gitIn(path: string, { environment }: Context): Git {
  // Absolute, because git runs in another folder.
  const inner = resolve(path, ".git");
  const { PATH = "", HOME = "/nonexistent" } = environment;
  return createGit({ gitFolder: existsSync(inner) ? inner : resolve(path), environment: { PATH, HOME } });
}

async function readKeys(location: string | undefined, { access }: Call): Promise<KeySet> {
  const source = location ?? `${access.panel.url.replace(/\/+$/, "")}${getStatementKeys.path}`;
  const value: unknown = parseJson(await readText(source), source);
  const keys = typeof value === "object" && value !== null && "keys" in value ? value.keys : null;
  if (!Array.isArray(keys)) throw new UsageError(`${source} is not a key set.`);
  return { keys };
}

async function readText(source: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(source)) return await readFile(source, "utf8");
    const response = await fetch(source, { signal: AbortSignal.timeout(FETCH_MS) });
    if (response.ok) return await response.text();
    throw new Error(`status ${response.status}`);
  } catch (error) {
    throw new UsageError(`Cannot read ${source}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

async function readInput(file: string, { stdin }: Context): Promise<string> {
  if (file !== "-") return readText(file);
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${source} is not valid JSON.`);
  }
}

function describe({ predicate }: RunStatement, kid: string, isInRepo: boolean): string {
  const { run, repo, base, commit, results, agents, times } = predicate;
  const names = agents?.map(({ cli, version, model }) => [cli, version, model].filter(Boolean).join(" ")) ?? [
    "unknown",
  ];
  const rows = [
    ["run", run.id],
    ["repository", repo.url],
    ["commit", commit.sha],
    ["base", `${base.sha} (${base.branch})`],
    ["verdict", results.verdict ?? "unknown"],
    ["agents", names.join(", ")],
    ["pushed", times.pushed_at],
    ["key", kid],
  ];
  const head = isInRepo ? "Valid, and the repository has the commit, its parents and its patch." : "Valid.";
  return [head, ...rows.map(([name = "", value = ""]) => `  ${name.padEnd(12)}${cleanText(value)}`)].join("\n");
}
