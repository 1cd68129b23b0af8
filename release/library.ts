/** Files that every published package has: its `package.json`, README and license. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ROOT, readPackageFile, type Workspace } from "./workspaces.ts";

export async function writeInto(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** @param fields what differs from package to package. */
export async function writePackage(
  folder: string,
  source: Workspace,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { license, repository } = await readPackageFile("package.json");
  const content = {
    name: source.name,
    version: source.version,
    description: source.description,
    license,
    repository: { ...repository, directory: source.folder },
    type: "module",
    ...fields,
    publishConfig: { access: "public" },
  };
  await writeInto(folder, "package.json", `${JSON.stringify(content, null, 2)}\n`);
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await cp(join(ROOT, source.folder, "README.md"), join(folder, "README.md"));
  process.stdout.write(`${relative(ROOT, folder)}\n`);
}
