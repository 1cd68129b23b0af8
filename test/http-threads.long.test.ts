import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ask, openInstallation, type Product } from "./support/product.ts";

/** A thread finds a new version within two seconds: polls ten times a second, for at most five. */
async function waitForVersion(product: Product, key: string, version: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { body } = await ask(product.url, "/api/items?limit=0", key);
    if (body.version === version) return;
    await setTimeout(100);
  }
  assert.fail(`version ${version} was not served`);
}

test("serves one rate limit, usage record, version and metrics page from several HTTP threads", async () => {
  await using installation = await openInstallation();
  const product = await installation.startDirectory({ DIRECTORY_HTTP_THREADS: "2" });
  const { discovery_key, pro_key } = await installation.credentials();

  const answers = await Promise.all(Array.from({ length: 130 }, () => ask(product.url, "/api/items?limit=2", pro_key)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 120);
  assert.equal(answers.filter(({ status }) => status === 429).length, 10);
  const metrics = await (await fetch(`${product.url}/metrics`)).text();
  const counted = [...metrics.matchAll(/^http_requests_total\{route="\/api\/items".* (\d+)$/gm)].map((match) =>
    Number(match[1]),
  );
  assert.equal(
    counted.reduce((sum, count) => sum + count, 0),
    130,
  );
  const { body: served } = await ask(product.url, "/api/meta", discovery_key);
  assert.match(metrics, /^directory_items_served_total\{plan="pro",format="json".*\} 240$/m);
  assert.match(metrics, /^directory_refusals_total\{policy="minute",reason="rate_limited".*\} 10$/m);
  assert.match(metrics, new RegExp(`^directory_version_number\\{.*\\} ${String(served.version).split("-")[0]}$`, "m"));
  assert.match(metrics, /^directory_meter_lag_seconds\{service="directory"\} [\d.]+$/m);

  const uncapped = await installation.run([
    "directory",
    "keys",
    "create",
    "--name",
    "many",
    "--plan",
    "pro",
    "--daily-items",
    "none",
  ]);
  const file = join(installation.folder, "one.csv");
  await writeFile(file, "id,title\n1,Maison commune\n");
  const imported = await installation.run(["directory", "import", file, "--type", "place"]);
  assert.equal(imported.code, 0, imported.stderr);
  const version = /\d+-[0-9a-f]{12}/.exec(imported.stdout + imported.stderr)?.[0] ?? "";
  await waitForVersion(product, uncapped.stdout.trim(), version);

  const { body } = await ask(product.url, "/api/usage", discovery_key);
  assert.equal(body.month.items, 0);
  assert.equal(await product.end("SIGTERM"), 0);
  assert.equal((await installation.run(["directory", "verify"])).code, 0);
});

test("HTTP threads are not ready while the disk is full, and ready again when there is room", async () => {
  await using installation = await openInstallation();
  const product = await installation.startDirectory({ DIRECTORY_HTTP_THREADS: "2" });
  /** Files of the process cannot grow beyond this: to SQLite, the same as a full disk. */
  const limitFiles = (bytes: string) =>
    execFileSync("prlimit", ["--pid", `${product.pid}`, `--fsize=${bytes}:unlimited`]);
  const waitForReadiness = async (status: number) => {
    for (let attempt = 0; attempt < 50; attempt++) {
      if ((await fetch(`${product.url}/readyz`)).status === status) return;
      await setTimeout(100);
    }
    assert.fail(`readiness was never ${status}`);
  };
  await waitForReadiness(200);
  limitFiles("1");
  await waitForReadiness(503);
  limitFiles("unlimited");
  await waitForReadiness(200);
});
