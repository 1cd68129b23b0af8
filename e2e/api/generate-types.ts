/**
 * `npm run examples:types`: types for the examples in Python and Go, from the OpenAPI documents by quicktype. The
 * examples list the schemas that they need; each brings the schemas that it refers to.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  directory: ["ItemsPage"],
  router: ["RouteDecision"],
  panel: ["RunPage"],
};

const LANGUAGES = {
  // Dates stay strings: the standard library has no parser for them.
  python: ["--lang", "python", "--python-version", "3.7", "--no-date-times"],
  go: ["--lang", "go", "--package", "main", "--no-date-times"],
} as const;

const QUICKTYPE = fileURLToPath(new URL("node_modules/quicktype/dist/index.js", import.meta.url));

export async function generateTypes(language: keyof typeof LANGUAGES, output: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-schemas-"));
  try {
    const files = await writeSchemas(folder);
    const options = ["--src-lang", "schema", "--no-combine-classes", "--telemetry", "disable"];
    const args = [QUICKTYPE, ...options, ...LANGUAGES[language], "--out", output, ...files];
    await promisify(execFile)(process.execPath, args);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One JSON Schema per needed type; quicktype names the type after the file. */
async function writeSchemas(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [service, names] of Object.entries(NEEDED)) {
    const text = await readFile(new URL(`../../openapi/${service}.json`, import.meta.url), "utf8");
    const document: { components: object } = JSON.parse(text);
    for (const name of names) {
      const path = join(folder, `${name}.schema`);
      await writeFile(path, JSON.stringify({ $ref: `#/components/schemas/${name}`, components: document.components }));
      files.push(path);
    }
  }
  return files;
}

if (process.argv[1] === import.meta.filename) {
  const examples = new URL("../../examples/", import.meta.url);
  await generateTypes("python", fileURLToPath(new URL("python/triptych_types.py", examples)));
  await generateTypes("go", fileURLToPath(new URL("go/types.go", examples)));
}
