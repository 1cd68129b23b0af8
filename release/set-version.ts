/** `npm run set-version -- 0.2.0`: one version for all packages, their dependencies on each other, the lock file and the changelog. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPackageFile, readWorkspaces, ROOT } from "./workspaces.ts";

const [version = ""] = process.argv.slice(2);
const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
const heading = `## ${version} - unreleased`;
const issues = [
  ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : ["The version must look like 0.2.0."]),
  ...(changelog.includes(heading) ? [] : [`CHANGELOG.md has no section "${heading}".`]),
];
if (issues.length > 0) {
  process.stderr.write(`${issues.join("\n")}\n`);
  process.exit(2);
}

const workspaces = await readWorkspaces();
const { version: before } = await readPackageFile("package.json");
for (const folder of ["", ...[...workspaces.values()].map((workspace) => workspace.folder)]) {
  const file = join(ROOT, folder, "package.json");
  const text = await readFile(file, "utf8");
  const named = text.replaceAll(/("@triptych\/[a-z-]+": ")[^"]+"/g, `$1${version}"`);
  await writeFile(file, named.replace(`"version": "${before}"`, `"version": "${version}"`));
}
await writeFile(
  join(ROOT, "CHANGELOG.md"),
  changelog.replace(heading, `## ${version} - ${new Date().toISOString().slice(0, 10)}`),
);
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: ROOT, stdio: "inherit" });
