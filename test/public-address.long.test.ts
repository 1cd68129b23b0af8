import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstallation } from "./support/product.ts";

test("starts every service that may start on a public address, and says what the rail needs", async () => {
  await using installation = await openInstallation();
  const product = await installation.start({ HOST: "0.0.0.0" });
  assert.match(product.errorLog(), /Not started: rail\. .*RAIL_ALLOW_TEST_PAYMENTS=1\./);
  assert.equal((await fetch(`${product.addressOf("router")}/readyz`)).status, 200);
  assert.equal(await product.end("SIGTERM"), 0);
  const { code, stderr } = await installation.run(["start", "rail"], { HOST: "0.0.0.0" });
  assert.deepEqual([code, /does not start/.test(stderr)], [2, true]);
});
