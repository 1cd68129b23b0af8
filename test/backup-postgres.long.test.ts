/** Backup of a PostgreSQL installation under load, restored into a database and into a data folder. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { openInstallation } from "./support/product.ts";
import { startLoad, unreadableValues } from "./support/stored-values.ts";

const skip = withoutPostgres();

describe("a backup on PostgreSQL", { skip }, () => {
  test("is consistent under load, and restores into another database and into a data folder", async () => {
    const server = await startPostgres({ durable: false });
    await using installation = await openInstallation();
    const [DATABASE_URL, OTHER] = [await server.createDatabase(), await server.createDatabase()];
    const product = await installation.start({ DATABASE_URL });
    const load = await startLoad(installation, product);
    await load.until(60);
    const folder = join(installation.folder, "backup");
    const backedUp = await installation.run(["backup", folder], { DATABASE_URL });
    assert.equal(backedUp.code, 0, backedUp.stderr);
    // The rotation reads and writes the same database as the services.
    const rotated = await installation.run(["secret", "rotate"], { DATABASE_URL });
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(rotated.stdout, /need the previous key until then|Every value is encrypted with the newest key/);
    await load.stop();
    assert.deepEqual(load.failures(), []);

    const secrets = await Promise.all(
      ["secret-key", "secret-key.previous"].map((name) =>
        readFile(join(installation.folder, "data", name), "utf8").catch(() => ""),
      ),
    );
    const known = secrets.map((text) => text.trim()).filter((text) => text !== "");
    const target = join(installation.folder, "restored");
    const restored = await installation.run(["restore", folder, "--data", target]);
    assert.equal(restored.code, 0, restored.stderr);
    // The values in the backup are encrypted with the secret from before the rotation.
    assert.deepEqual(await unreadableValues(target, known), []);

    const moved = await installation.run(["restore", folder, "--data", join(installation.folder, "none")], {
      DATABASE_URL: OTHER,
    });
    assert.equal(moved.code, 0, moved.stderr);
    const audited = await installation.run(["rail", "audit"], { DATABASE_URL: OTHER });
    assert.equal(audited.code, 0, audited.stderr);
    const refused = await installation.run(["restore", folder], { DATABASE_URL: OTHER });
    assert.equal(refused.code, 1);
    for (const name of ["directory", "rail", "panel"])
      assert.match(refused.stderr, new RegExp(`The ${name} has a store in the database of DATABASE_URL`));
  });
});
