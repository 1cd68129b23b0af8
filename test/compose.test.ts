/** Compares the Compose files with the services' settings and the examples for Caddy. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { settings as directory } from "@triptych/directory/config";
import { settings as gateway } from "@triptych/gateway/config";
import { settings as panel } from "@triptych/panel/config";
import { settings as rail } from "@triptych/rail/config";
import { settings as router } from "@triptych/router/config";
import { parse } from "yaml";

const SERVICES = [directory, gateway, panel, rail, router];
const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>>; readonly volumes?: readonly string[] }>
  >;
}

/** `${NAME:-default}` with its default, as in a folder without `.env`. */
function environmentOf({ services }: Compose): Readonly<Record<string, string>> {
  const entries = Object.entries(services["services"]?.environment ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+(?::-([^}]*))?\}/g, (_, fallback = "") => fallback),
    ]),
  );
}

for (const { files, caddyfile } of [
  { files: ["compose.yaml"], caddyfile: "deploy/caddy/Caddyfile" },
  { files: ["compose.yaml", "compose.one-host.yaml"], caddyfile: "deploy/caddy/Caddyfile.one-host" },
]) {
  test(`${files.join(" and ")}: valid variables, and the addresses that Caddy serves`, async () => {
    const documents: readonly Compose[] = await Promise.all(files.map(async (name) => parse(await read(name))));
    const environment = Object.assign({}, ...documents.map(environmentOf));
    // The image sets the address.
    for (const { service, issuesOf } of SERVICES)
      assert.deepEqual(issuesOf({ ...environment, HOST: "0.0.0.0" }), [], service);
    const known = new Set(SERVICES.flatMap(({ variables }) => variables.map(({ name }) => name)));
    assert.deepEqual(
      Object.keys(environment).filter((name) => !known.has(name)),
      [],
    );
    const mounted = documents.flatMap(({ services }) => services["caddy"]?.volumes ?? []);
    assert.ok(mounted.findLast((volume) => volume.includes("/etc/caddy/Caddyfile"))?.startsWith(`./${caddyfile}:`));
    const served = (await read(caddyfile)).replaceAll("{$DOMAIN:localhost}", "localhost");
    for (const { service, variables } of SERVICES) {
      const port = variables.find(({ name }) => name === `${service.toUpperCase()}_PORT`)?.default;
      const { host } = new URL(environment[`${service.toUpperCase()}_URL`]);
      assert.ok(served.includes(`${host} {\n\treverse_proxy {$UPSTREAM:127.0.0.1}:${port}\n}`), host);
    }
  });
}
