import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("each package, service and app has a README with a description", async () => {
  for await (const file of glob("{packages,services,apps}/*/package.json", { cwd: ROOT })) {
    const { description }: { readonly description?: string } = JSON.parse(await readFile(join(ROOT, file), "utf8"));
    const readme = await readFile(join(ROOT, dirname(file), "README.md"), "utf8");
    assert.ok(description, file);
    assert.match(readme, /^# .+\n[\s\S]+```/, file);
  }
});

/** In the repository, so that they find the packages by name. */
test("the examples of the packages' READMEs run", async () => {
  const folder = await mkdtemp(join(ROOT, ".building-examples-"));
  try {
    const names: string[] = [];
    for await (const file of glob("packages/*/README.md", { cwd: ROOT })) {
      const [, code] = /```ts\n(import [\s\S]*?)```/.exec(await readFile(join(ROOT, file), "utf8")) ?? [];
      const name = basename(dirname(file));
      if (code === undefined) continue;
      await writeFile(join(folder, `${name}.ts`), code);
      names.push(name);
    }
    await writeFile(join(folder, "all.ts"), names.map((name) => `await import("./${name}.ts");\n`).join(""));
    const printed = execFileSync(process.execPath, [join(folder, "all.ts")], { cwd: ROOT, encoding: "utf8" });
    assert.match(printed, /1800/);
    assert.ok(names.length >= 15);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
