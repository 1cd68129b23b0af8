/** A git repository made of packages as the registry has them, with dates in the past. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { PackageManager, Project } from "./projects.ts";

const run = promisify(execFile);
const IMPORT_DATE = "2023-06-01T12:00:00Z";
const SETTINGS_DATE = "2025-03-01T12:00:00Z";
const LOCKS: Readonly<Record<Exclude<PackageManager, null>, readonly string[]>> = {
  npm: ["npm", "install", "--package-lock-only", "--ignore-scripts"],
  pnpm: ["npm", "exec", "--yes", "--package=pnpm@10.12.1", "--", "pnpm", "install", "--lockfile-only"],
  yarn: ["npm", "exec", "--yes", "--package=yarn@1.22.22", "--", "yarn", "install", "--ignore-scripts", "--silent"],
  bun: ["npm", "exec", "--yes", "--package=bun@1.2.15", "--", "bun", "install", "--lockfile-only"],
};

export interface RepositoryPlace {
  readonly folder: string;
  /** The private registry, which only projects with `hasPrivateRegistry` use. */
  readonly registry: string;
}

/** Answers the path of the bare repository. Its sources are older than its lock file and settings. */
export async function makeRepository(project: Project, { folder, registry }: RepositoryPlace): Promise<string> {
  const tree = join(folder, "tree");
  await mkdir(tree, { recursive: true });
  const git = gitIn(tree);
  await git(IMPORT_DATE, "init", "--quiet", "--initial-branch=main");
  for (const [path, text] of Object.entries(project.files ?? {})) await writeText(join(tree, path), text);
  if (project.packages.length === 1) await unpack(project.packages[0] ?? "", tree);
  if (project.packages.length > 1) await makeWorkspaces(project.packages, tree);
  await git(IMPORT_DATE, "add", "--all");
  await git(IMPORT_DATE, "commit", "--quiet", "--message", "Import the project");
  if (project.hasHusky === true) await addHusky(tree);
  await writeText(join(tree, ".gitignore"), "node_modules\ncoverage\n.nyc_output\n__pycache__\n");
  const [program, ...args] = project.lock === null ? [] : LOCKS[project.lock];
  if (program !== undefined) {
    await run(program, args, { cwd: tree });
    await rm(join(tree, "node_modules"), { recursive: true, force: true });
  }
  // After the lock file, which is made with the public registry.
  if (project.hasPrivateRegistry === true) await writeText(join(tree, ".npmrc"), npmrcFor(registry));
  await git(SETTINGS_DATE, "add", "--all");
  await git(SETTINGS_DATE, "commit", "--quiet", "--message", "Add the settings of the repository");
  const bare = join(folder, `${project.name}.git`);
  await git(SETTINGS_DATE, "clone", "--quiet", "--bare", tree, bare);
  return bare;
}

function npmrcFor(registry: string): string {
  return `registry=${registry}/\n//${new URL(registry).host}/:_authToken=\${NPM_TOKEN}\n`;
}

async function unpack(spec: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", dirname(target), spec], {
    cwd: dirname(target),
  });
  const archive = join(dirname(target), stdout.trim());
  await run("tar", ["xzf", archive, "--strip-components=1", "-C", target]);
  await rm(archive);
  // Audits call a service that a registry may not have, and they test nothing.
  await editManifest(target, (manifest) => ({ ...manifest, scripts: { ...manifest.scripts, posttest: undefined } }));
}

async function makeWorkspaces(packages: readonly string[], tree: string): Promise<void> {
  for (const spec of packages) await unpack(spec, join(tree, "packages", spec.slice(0, spec.lastIndexOf("@"))));
  const scripts = { test: "npm test --workspaces" };
  const manifest = { name: "monorepo", version: "1.0.0", private: true, workspaces: ["packages/*"], scripts };
  await writeText(join(tree, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function addHusky(tree: string): Promise<void> {
  await editManifest(tree, (manifest) => ({
    ...manifest,
    scripts: { ...manifest.scripts, prepare: "husky" },
    devDependencies: { ...manifest.devDependencies, husky: "9.1.7" },
  }));
  await writeText(join(tree, ".husky/pre-commit"), "exit 1\n");
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string | undefined>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function editManifest(tree: string, edit: (manifest: Manifest) => Manifest): Promise<void> {
  const path = join(tree, "package.json");
  await writeText(path, `${JSON.stringify(edit(JSON.parse(await readFile(path, "utf8"))), null, 2)}\n`);
}

async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function gitIn(tree: string) {
  const [name, email] = ["Author", "author@example.org"];
  return (date: string, ...args: readonly string[]) =>
    run("git", [...args], {
      cwd: tree,
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    });
}
