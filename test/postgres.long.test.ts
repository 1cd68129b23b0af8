import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { ask, openInstallation } from "./support/product.ts";

/** In CI a missing server is a failure: the suite runs, and its first start reports what is missing. */
const skip = withoutPostgres();

describe("the product on PostgreSQL", { skip }, () => {
  test("two processes share keys, rate limits, the daily quota, wallets and the published version", async () => {
    const server = await startPostgres({ durable: false });
    await using installation = await openInstallation();
    const DATABASE_URL = await server.createDatabase();
    // At the same moment: one publishes the sample, both migrate, neither fails.
    const start = () => installation.start({ DATABASE_URL, GATEWAY_RATE: "6" });
    const [first, second] = await Promise.all([start(), start()]);
    const { discovery_key: key } = await installation.credentials();
    const statuses: number[] = [];
    for (let count = 0; count < 124; count++) {
      const { url } = count % 2 === 0 ? first : second;
      statuses.push((await ask(url, "/api/meta", key)).status);
    }
    assert.equal(statuses.filter((status) => status === 200).length, 120);
    assert.equal(statuses.filter((status) => status === 429).length, 4);
    const gateways = [first.addressOf("gateway"), second.addressOf("gateway")];
    const { token } = await installation.demoWallet();
    const paid: number[] = [];
    for (let count = 0; count < 8; count++) {
      const answer = await fetch(`${gateways[count % 2]}/v1/noul`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Rail-Wallet": token },
        body: JSON.stringify({ state: "will it rain" }),
      });
      await answer.text();
      paid.push(answer.status);
    }
    assert.deepEqual(paid, [200, 200, 200, 200, 200, 200, 429, 429]);
    const [one, two] = [await fetch(`${first.url}/readyz`), await fetch(`${second.url}/readyz`)];
    assert.deepEqual([one.status, two.status], [200, 200]);
  });

  test("copies an embedded store to PostgreSQL and back with its keys and items", async () => {
    const server = await startPostgres({ durable: false });
    await using installation = await openInstallation();
    const embedded = await installation.start();
    const { pro_key } = await installation.credentials();
    const before = (await ask(embedded.url, "/api/items?limit=3", pro_key)).body;
    await embedded.end("SIGTERM");
    const address = await server.createDatabase();
    const copied = await installation.run([
      "store",
      "copy",
      "--from",
      installation.environment["TRIPTYCH_DATA"] ?? "",
      "--to",
      address,
    ]);
    assert.equal(copied.code, 0, copied.stderr);
    assert.match(copied.stdout, /directory\.item: 220 rows/);
    assert.match(copied.stdout, /panel\.account: 2 rows/);
    const moved = await installation.start({ DATABASE_URL: address });
    const after = (await ask(moved.url, "/api/items?limit=3", pro_key)).body;
    assert.deepEqual([after.total, after.version], [before.total, before.version]);
    await moved.end("SIGTERM");
    const again = await installation.run([
      "store",
      "copy",
      "--from",
      installation.environment["TRIPTYCH_DATA"] ?? "",
      "--to",
      address,
    ]);
    assert.equal(again.code, 1);
    const back = await installation.run(["store", "copy", "--from", address, "--to", `${installation.folder}/other`]);
    assert.equal(back.code, 0, back.stderr);
  });
});
