/** Lists the packages of this repository, and names their compiled modules in a published package. */
import { glob, readFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Workspace extends PackageFile {
  /** Relative to the repository. */
  readonly folder: string;
}

export type Workspaces = ReadonlyMap<string, Workspace>;

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export async function readPackageFile(file: string): Promise<PackageFile> {
  return JSON.parse(await readFile(join(ROOT, file), "utf8"));
}

/** Reads every workspace, by name. */
export async function readWorkspaces(): Promise<Workspaces> {
  const found = new Map<string, Workspace>();
  for await (const file of glob("{packages,services,apps}/*/package.json", { cwd: ROOT })) {
    const content = await readPackageFile(file);
    found.set(content.name, { ...content, folder: dirname(file) });
  }
  return found;
}

export function workspaceOf(workspaces: Workspaces, name: string): Workspace {
  const found = workspaces.get(name);
  if (found === undefined) throw new Error(`No package is named ${name}.`);
  return found;
}

export function compiledName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

/** A compiled module with relative imports in place of this repository's packages, and with compiled names. */
export function publishedModule(workspaces: Workspaces, { text, file }: { text: string; file: string }): string {
  const relativeTo = (target: string) => {
    const path = posix.relative(posix.dirname(file), target);
    return path.startsWith(".") ? path : `./${path}`;
  };
  const modulePath = (specifier: string) => JSON.stringify(relativeTo(moduleOf(workspaces, specifier)));
  const imported = text.replaceAll(
    /(?<=(?:from|import\(|import) ?)"(@triptych\/[^"]+)"/g,
    (_match, specifier: string) => modulePath(specifier),
  );
  const resolved = imported.replaceAll(
    /import\.meta\.resolve\("(@triptych\/[^"]+)"\)/g,
    (_match, specifier: string) => `new URL(${modulePath(specifier)}, import.meta.url).href`,
  );
  if (/["']@triptych\/[a-z-]+(\/[a-z./-]+)?["']/.test(resolved))
    throw new Error(`${file} names a package in a way that the build does not replace.`);
  const renamed = resolved.replaceAll(/(?<=new URL\("[^"]+)\.ts(?=", import\.meta\.url\))/g, ".js");
  // Node 22 has no AsyncDisposableStack.
  if (!renamed.includes("AsyncDisposableStack")) return renamed;
  return `import ${JSON.stringify(relativeTo("async-disposable-stack.js"))};\n${renamed}`;
}

/** The compiled file that a specifier such as `@triptych/contracts/plain` names. */
function moduleOf(workspaces: Workspaces, specifier: string): string {
  const [scope, name, ...rest] = specifier.split("/");
  const source = workspaces.get(`${scope}/${name}`);
  const file = source?.exports?.[[".", ...rest].join("/")];
  if (source === undefined || file === undefined) throw new Error(`No package exports ${specifier}.`);
  return posix.join(source.folder, compiledName(file));
}
