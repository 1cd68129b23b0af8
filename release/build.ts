/**
 * `npm run build` builds the published packages in `dist/`: `@triptych/contracts`, `@triptych/client`, `@triptych/mcp`
 * and `@triptych/cli`. The last contains all services and the worker.
 */
import { cp, glob, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { builtWebSite, SITES, type SiteName } from "@triptych/web/build";
import { writePackage } from "./library.ts";
import { writePublishedTree } from "./published-tree.ts";
import { compile, makeWorkerPack } from "./worker-pack.ts";
import { compiledName, readWorkspaces, ROOT, workspaceOf } from "./workspaces.ts";

const DIST = join(ROOT, "dist");
const COMPILED = join(DIST, "compiled");
const CLI = join(DIST, "cli");
/** Large libraries that few installations use. A service that needs one says so. */
const OPTIONAL = ["stripe"];

const workspaces = await readWorkspaces();
await rm(DIST, { recursive: true, force: true });
await compile(COMPILED);
await makeLibrary("contracts");
await makeLibrary("client", ">=20.3");
await makeLibrary("mcp", ">=22.19", ["config", "util"]);
await makeCli();
await rm(COMPILED, { recursive: true });

/** Makes a package whose modules import other published packages by name. It contains the modules of unpublished packages. */
async function makeLibrary(name: string, node = ">=20", contained: readonly string[] = []): Promise<void> {
  const source = workspaceOf(workspaces, `@triptych/${name}`);
  const folder = join(DIST, name);
  await cp(join(COMPILED, source.folder, "src"), join(folder, "src"), { recursive: true });
  await contain(join(folder, "src"), contained);
  const isContained = (dependency: string) => contained.some((each) => dependency === `@triptych/${each}`);
  const exported = Object.entries(source.exports ?? {}).map(([path, file]) => {
    const compiled = compiledName(file);
    return [path, { types: compiled.replace(/\.js$/, ".d.ts"), default: compiled }];
  });
  const commands = Object.entries(source.bin ?? {}).map(([command, file]) => [command, compiledName(file)]);
  await writePackage(folder, source, {
    engines: { node },
    sideEffects: false,
    files: ["src"],
    exports: Object.fromEntries(exported),
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    dependencies: Object.fromEntries(
      Object.entries(source.dependencies ?? {}).filter(([dependency]) => !isContained(dependency)),
    ),
  });
}

/** Copies the modules of these packages into folders with their names, and imports them from there. */
async function contain(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { folder: from } = workspaceOf(workspaces, `@triptych/${name}`);
    await cp(join(COMPILED, from, "src"), join(folder, name), { recursive: true });
  }
  for await (const file of glob("**/*.{js,d.ts}", { cwd: folder })) {
    const path = join(folder, file);
    const before = await readFile(path, "utf8");
    const after = names.reduce((text, name) => {
      const target = posix.relative(posix.dirname(file), `${name}/index.js`);
      return text.replaceAll(`"@triptych/${name}"`, JSON.stringify(target.startsWith(".") ? target : `./${target}`));
    }, before);
    if (after !== before) await writeFile(path, after);
  }
}

async function makeCli(): Promise<void> {
  await writePublishedTree({ workspaces, compiled: COMPILED, to: CLI });
  for (const name of Object.keys(SITES) as SiteName[])
    await cp(await builtWebSite(name), join(CLI, "apps/web/dist", name), { recursive: true });
  // Apache-2.0 requires a copy of the license beside the bundle.
  await cp(join(ROOT, "node_modules/swagger-ui-dist/LICENSE"), join(CLI, "apps/web/dist/reference/LICENSE"));
  await cp(join(ROOT, "release/published/cli"), CLI, { recursive: true });
  await makeWorkerPack(workspaces, COMPILED, join(CLI, "apps/worker/dist/triptych-worker.tgz"));
  await cp(join(ROOT, "NOTICE"), join(CLI, "NOTICE"));
  const { peerDependencies, peerDependenciesMeta } = workspaceOf(workspaces, "@triptych/decisions");
  const { needed, optional } = libraries();
  await writePackage(
    CLI,
    { ...workspaceOf(workspaces, "@triptych/triptych"), name: "@triptych/cli" },
    {
      engines: { node: ">=22.19" },
      files: ["apps", "packages", "services", "start.mjs", "async-disposable-stack.js", "NOTICE"],
      bin: { triptych: "start.mjs" },
      dependencies: needed,
      peerDependencies: { ...peerDependencies, ...optional },
      peerDependenciesMeta: {
        ...peerDependenciesMeta,
        ...Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
      },
    },
  );
}

/** All libraries of the programs that the command line contains, except this repository's packages. */
function libraries() {
  const all = [...workspaces.values()]
    .flatMap(({ dependencies = {} }) => Object.entries(dependencies))
    .filter(([name]) => !workspaces.has(name))
    .sort(([first], [second]) => first.localeCompare(second));
  return {
    needed: Object.fromEntries(all.filter(([name]) => !OPTIONAL.includes(name))),
    optional: Object.fromEntries(all.filter(([name]) => OPTIONAL.includes(name))),
  };
}
