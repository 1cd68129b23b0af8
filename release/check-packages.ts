/**
 * `publint` and `@arethetypeswrong/cli` for every published package in `dist/`, and the files that each must have. `npm run
 * check:packages` builds first. With `--if-fresh`, as part of `npm run check`, an older build is not checked: a build takes
 * longer than the other checks together.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { SITES } from "@triptych/web/build";
import { readPackageFile, ROOT } from "./workspaces.ts";

const DIST = join(ROOT, "dist");
const TOOLS = join(ROOT, "e2e/packs/node_modules/.bin");
const PACKAGES = ["contracts", "client", "mcp", "cli"];
/** The demo repository is content, so its `exports` are not those of the package. */
const DEMO = "./services/panel/demo/";
const SOURCES = ["packages", "services", "apps", "release", "package.json", "package-lock.json", "LICENSE", "NOTICE"];
/** Without its page a service still starts and answers 503, which nothing else would notice. */
const CLI_FILES = ["NOTICE", "start.mjs", ...Object.keys(SITES).map((site) => `apps/web/dist/${site}/index.html`)];
const REQUIRED = [
  "name",
  "version",
  "description",
  "license",
  "repository",
  "type",
  "engines",
  "files",
  "dependencies",
];

if (process.argv.includes("--if-fresh") && !isFresh()) {
  process.stdout.write("dist/ is missing or older than the sources: packages not checked (npm run check:packages)\n");
} else {
  const issues = (await Promise.all(PACKAGES.map(issuesOf))).flat();
  for (const issue of issues) process.stderr.write(`${issue}\n`);
  if (issues.length > 0) process.exitCode = 1;
  else process.stdout.write(`${PACKAGES.length} packages checked\n`);
}

/** Whether no source is newer than the build, and the tools are installed. */
function isFresh(): boolean {
  const last = join(DIST, "cli/package.json");
  if (!existsSync(last) || !existsSync(TOOLS)) return false;
  const builtAt = statSync(last).mtimeMs;
  const listed = execFileSync("git", ["ls-files", "-z", "--", ...SOURCES], { cwd: ROOT, encoding: "utf8" });
  const files = listed.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name)));
  return files.every((name) => statSync(join(ROOT, name)).mtimeMs <= builtAt);
}

async function issuesOf(name: string): Promise<readonly string[]> {
  const folder = join(DIST, name);
  const content: Readonly<Record<string, unknown>> = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { version } = await readPackageFile("package.json");
  const required = name === "cli" ? [...REQUIRED, "bin"] : [...REQUIRED, "exports", "sideEffects"];
  const files = ["README.md", "LICENSE", ...(name === "cli" ? CLI_FILES : [])];
  const tools = [
    ["publint", "run", folder, "--strict"],
    // Without exports there are no types to check.
    ...(name === "cli" ? [] : [["attw", "--pack", folder, "--profile", "esm-only"]]),
  ];
  return [
    ...required.filter((member) => content[member] === undefined).map((member) => `${name}: no "${member}"`),
    ...files.filter((file) => !existsSync(join(folder, file))).map((file) => `${name}: no ${file}`),
    ...(content["version"] === version ? [] : [`${name}: version ${String(content["version"])} is not ${version}`]),
    ...(await Promise.all(tools.map((command) => run(command)))).flat(),
  ];
}

/** Returns the output of a command if it failed. */
async function run([tool, ...args]: readonly string[]): Promise<readonly string[]> {
  try {
    // CI turns colors on, which would hide the numbers of the issues.
    await promisify(execFile)(join(TOOLS, tool), args, { cwd: ROOT, env: { ...process.env, NO_COLOR: "1" } });
    return [];
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    const found = stdout.split("\n").filter((line) => /^\d+\. /.test(line));
    if (found.length > 0 && found.every((line) => line.includes(DEMO))) return [];
    return [`${tool} ${args.join(" ")} failed:\n${stdout}${stderr}`];
  }
}
