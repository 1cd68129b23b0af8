/**
 * `npm run build`: makes the published packages in `dist/`: `@triptych/contracts`, `@triptych/client`, `@triptych/mcp`
 * and `@triptych/cli`. The last one contains every service and the worker in the folders of this repository, so that a path
 * from one module to another file is the same as in a clone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { builtDashboard } from "@triptych/dashboard/build";

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: unknown;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const COMPILED = join(DIST, "compiled");
const CLI = join(DIST, "cli");
/** Files that programs read at run time, besides compiled modules. */
const ASSETS = [
  "packages/*/migrations/**/*.*",
  "packages/server/examples/*.json",
  "services/*/migrations/**/*.*",
  "packages/decisions/artifacts/**/*.*",
  "services/router/phrasings/**/*.*",
  "services/panel/demo/**/*.*",
  "{packages,services}/*/src/**/browser/*.{js,css}",
  "apps/worker/src/**/*.{mjs,txt}",
  "apps/worker/package.json",
  "services/directory/src/pages/boundaries.json",
  "apps/triptych/src/command-tree.json",
];

const packages = await readPackages();
await rm(DIST, { recursive: true, force: true });
await run("node_modules/.bin/tsc", ["-p", "release/tsconfig.json"]);
await makeLibrary("contracts");
await makeLibrary("client", ">=20.3");
await makeLibrary("mcp", ">=22.19");
await makeCli();
await rm(COMPILED, { recursive: true });

/** Every workspace, by name. */
async function readPackages(): Promise<ReadonlyMap<string, PackageFile & { readonly folder: string }>> {
  const found = new Map<string, PackageFile & { readonly folder: string }>();
  for await (const file of glob("{packages,services,apps}/*/package.json", { cwd: ROOT })) {
    const content: PackageFile = JSON.parse(await readFile(join(ROOT, file), "utf8"));
    found.set(content.name, { ...content, folder: dirname(file) });
  }
  return found;
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(join(ROOT, program), args, { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed with ${code}.`);
}

/** A package whose modules import other published packages by name. */
async function makeLibrary(name: string, node = ">=20"): Promise<void> {
  const source = workspace(`@triptych/${name}`);
  const folder = join(DIST, name);
  await cp(join(COMPILED, source.folder, "src"), join(folder, "src"), { recursive: true });
  const exported = Object.entries(source.exports ?? {}).map(([path, file]) => {
    const compiled = compiledName(file);
    return [path, { types: compiled.replace(/\.js$/, ".d.ts"), default: compiled }];
  });
  await writePackage(folder, {
    name: source.name,
    version: source.version,
    engines: { node },
    exports: Object.fromEntries(exported),
    ...(source.bin !== undefined && {
      bin: Object.fromEntries(Object.entries(source.bin).map(([command, file]) => [command, compiledName(file)])),
    }),
    dependencies: source.dependencies,
  });
}

function workspace(name: string): PackageFile & { readonly folder: string } {
  const found = packages.get(name);
  if (found === undefined) throw new Error(`No package is named ${name}.`);
  return found;
}

function compiledName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

async function makeCli(): Promise<void> {
  for await (const file of glob("{packages,services,apps}/*/src/**/*.js", { cwd: COMPILED })) {
    await writeInto(CLI, file, published(await readFile(join(COMPILED, file), "utf8"), file));
  }
  for await (const file of glob(ASSETS, { cwd: ROOT })) {
    if (file.endsWith(".js")) await writeInto(CLI, file, published(await readFile(join(ROOT, file), "utf8"), file));
    else await cp(join(ROOT, file), join(CLI, file), { recursive: true });
  }
  for await (const file of glob("apps/worker/src/scouts/gate-command/bin*/*", { cwd: ROOT })) {
    const script = await readFile(join(ROOT, file), "utf8");
    await writeInto(CLI, file, script.replace("/main.ts", "/main.js"));
    await chmod(join(CLI, file), 0o755);
  }
  await cp(await builtDashboard(), join(CLI, "apps/dashboard/dist"), { recursive: true });
  await cp(join(ROOT, "release/published"), CLI, { recursive: true });
  // Only encoders need ONNX, so it stays optional.
  const { peerDependencies, peerDependenciesMeta } = workspace("@triptych/decisions");
  await writePackage(CLI, {
    name: "@triptych/cli",
    version: workspace("@triptych/triptych").version,
    engines: { node: ">=22.19" },
    bin: { triptych: "start.mjs" },
    dependencies: libraries(),
    peerDependencies,
    peerDependenciesMeta,
  });
}

/** Libraries of everything that the command line contains, except this repository's packages. */
function libraries(): Readonly<Record<string, string>> {
  const needed = new Map<string, string>();
  for (const { dependencies = {} } of packages.values())
    for (const [name, version] of Object.entries(dependencies)) if (!packages.has(name)) needed.set(name, version);
  return Object.fromEntries([...needed].sort(([first], [second]) => first.localeCompare(second)));
}

/** A compiled module with relative imports in place of this repository's packages, and with compiled names. */
function published(text: string, file: string): string {
  const relativeTo = (target: string) => {
    const path = posix.relative(posix.dirname(file), target);
    return path.startsWith(".") ? path : `./${path}`;
  };
  const imported = text.replaceAll(
    /(?<=(?:from|import\(|import) ?)"(@triptych\/[^"]+)"/g,
    (_match, specifier: string) => JSON.stringify(relativeTo(moduleOf(specifier))),
  );
  const resolved = imported.replaceAll(
    /import\.meta\.resolve\("(@triptych\/[^"]+)"\)/g,
    (_match, specifier: string) => `new URL(${JSON.stringify(relativeTo(moduleOf(specifier)))}, import.meta.url).href`,
  );
  if (/["']@triptych\/[a-z-]+(\/[a-z./-]+)?["']/.test(resolved))
    throw new Error(`${file} names a package in a way that the build does not replace.`);
  const renamed = resolved.replaceAll(/(?<=new URL\("[^"]+)\.ts(?=", import\.meta\.url\))/g, ".js");
  // Node 22 has no AsyncDisposableStack.
  if (!renamed.includes("AsyncDisposableStack")) return renamed;
  return `import ${JSON.stringify(relativeTo("async-disposable-stack.js"))};\n${renamed}`;
}

/** The compiled file that a specifier such as `@triptych/contracts/plain` names. */
function moduleOf(specifier: string): string {
  const [scope, name, ...rest] = specifier.split("/");
  const source = packages.get(`${scope}/${name}`);
  const file = source?.exports?.[[".", ...rest].join("/")];
  if (source === undefined || file === undefined) throw new Error(`No package exports ${specifier}.`);
  return posix.join(source.folder, compiledName(file));
}

async function writeInto(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function writePackage(folder: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const content = { ...fields, license: "MIT", type: "module" };
  await writeInto(folder, "package.json", `${JSON.stringify(content, null, 2)}\n`);
  for (const name of ["LICENSE", "NOTICE"]) await cp(join(ROOT, name), join(folder, name));
  process.stdout.write(`${relative(ROOT, folder)}\n`);
}
