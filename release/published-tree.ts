/** Copies programs of this repository into a published package, in the folders of the repository. */
import { chmod, cp, glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeInto } from "./library.ts";
import { publishedModule, ROOT, type Workspaces } from "./workspaces.ts";

/** Files other than compiled modules that programs read at run time. */
const ASSETS = [
  "packages/*/migrations/**/*.*",
  "packages/server/examples/*.json",
  "services/*/migrations/**/*.*",
  "apps/*/migrations/**/*.*",
  "packages/decisions/artifacts/**/*.*",
  "packages/decisions/background/*.txt",
  "services/router/phrasings/**/*.*",
  "services/directory/src/store/*.csv",
  "services/panel/demo/**/*.*",
  "{packages,services}/*/src/**/browser/*.{js,css}",
  "services/panel/src/pages/*.sh",
  "{packages,services,apps}/*/src/**/!(tsconfig).json",
  "apps/worker/src/**/*.{mjs,txt}",
];

export interface PublishedTree {
  readonly workspaces: Workspaces;
  /** The folder of the compiled modules. */
  readonly compiled: string;
  readonly to: string;
  /** The workspaces' folders to copy; all if absent. */
  readonly only?: readonly string[];
}

/** Relative paths between files stay the same as in a clone. */
export async function writePublishedTree({ workspaces, compiled, to, only }: PublishedTree): Promise<void> {
  const isPart = (file: string) => only === undefined || only.some((folder) => file.startsWith(`${folder}/`));
  const copyModule = async (from: string, file: string) => {
    const text = await readFile(join(from, file), "utf8");
    await writeInto(to, file, publishedModule(workspaces, { text, file }));
  };
  for await (const file of glob("{packages,services,apps}/*/src/**/*.js", { cwd: compiled }))
    if (isPart(file)) await copyModule(compiled, file);
  for await (const file of glob(ASSETS, { cwd: ROOT })) {
    if (!isPart(file)) continue;
    if (file.endsWith(".js")) await copyModule(ROOT, file);
    else await cp(join(ROOT, file), join(to, file), { recursive: true });
  }
  for (const { folder, name, version, dependencies } of workspaces.values()) {
    // Programs read their version here. Other members have a meaning only at the root of a package.
    const content = { name, version, type: "module", dependencies };
    const file = `${folder}/package.json`;
    if (isPart(file)) await writeInto(to, file, `${JSON.stringify(content, null, 2)}\n`);
  }
  for await (const file of glob("apps/worker/src/scouts/gate-command/bin*/*", { cwd: ROOT })) {
    if (!isPart(file)) continue;
    const script = await readFile(join(ROOT, file), "utf8");
    await writeInto(to, file, script.replace("/main.ts", "/main.js"));
    await chmod(join(to, file), 0o755);
  }
  await cp(join(ROOT, "release/published/async-disposable-stack.js"), join(to, "async-disposable-stack.js"));
}
