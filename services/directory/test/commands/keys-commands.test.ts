/** `triptych directory keys`, as users see it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseKey } from "@triptych/api-keys";
import { KEY_FORMS } from "../../src/store/access.ts";
import { createCommandFixture } from "./command-fixture.ts";

const { fresh } = createCommandFixture();

describe("keys", () => {
  test("create prints the key once; no other command prints it", async () => {
    const { run, data } = fresh();
    const created = await run(
      "keys",
      "create",
      "--name",
      "Demo",
      "--plan",
      "pro",
      "--test",
      "--daily-items",
      "10",
      "--expires",
      "2099-01-31",
    );
    const secret = created.stdout.trim();
    assert.equal(created.code, 0, created.stderr);
    assert.ok(parseKey(secret, KEY_FORMS)?.form.test);
    const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
    const outputs = [created.stderr];
    for (const args of [
      ["list"],
      ["show", id],
      ["set", id, "--name", "Other"],
      ["revoke", id, "--yes"],
      ["show", id],
    ]) {
      const { code, stdout, stderr } = await run("keys", ...args);
      assert.equal(code, 0, stderr);
      outputs.push(stdout, stderr);
    }
    assert.ok(!outputs.join("").includes(secret.slice(9, 30)));
    assert.match(outputs.join(""), /Other[\s\S]*revoked/);
    const file = await readFile(join(data, "directory.db"));
    assert.ok(!file.includes(secret), "nor in the store");
  });

  test("rotate prints a new key and keeps the id", async () => {
    const { run } = fresh();
    const created = await run("keys", "create", "--name", "Demo", "--plan", "discovery");
    const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
    const rotated = await run("keys", "rotate", id, "--grace", "30m");
    assert.notEqual(rotated.stdout, created.stdout);
    assert.match(rotated.stdout, /^dir_live_/);
    assert.match(rotated.stderr, /valid until/);
    assert.match((await run("keys", "list")).stdout, new RegExp(id));
  });

  test(
    "lists keys as JSON, and revokes a key without a terminal only with --yes",
    { skip: process.stdin.isTTY },
    async () => {
      const { run } = fresh();
      await run("keys", "create", "--name", "Demo", "--plan", "pro");
      const stateOf = async () => JSON.parse((await run("keys", "list", "--json")).stdout)[0];
      const { id } = await stateOf();
      const refused = await run("keys", "revoke", id);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /Pass --yes/);
      assert.equal((await stateOf()).state, "valid");
      await run("keys", "revoke", id, "--yes");
      assert.equal((await stateOf()).state, "revoked");
    },
  );

  test("list shows full IDs, expiry and last use next to long names", async () => {
    const { run } = fresh();
    const ids: string[] = [];
    for (const name of ["Office de tourisme de l'agglomération", "Demo"]) {
      const { stderr } = await run("keys", "create", "--name", name, "--plan", "pro", "--expires", "2099-02-28");
      ids.push(/key_\w+/.exec(stderr)?.[0] ?? "");
    }
    await run("keys", "revoke", ids[0], "--yes");
    const { stdout } = await run("keys", "list");
    for (const id of ids) assert.match(stdout, new RegExp(`^${id}  .*2099-03-01 00:00Z  never$`, "m"));
    assert.match(stdout, /created +expires +last used$/m);
  });

  test("a key expires at the end of a day, at a timestamp, or never", async () => {
    const { run } = fresh();
    const created = await run("keys", "create", "--name", "Demo", "--plan", "pro", "--expires", "2099-02-28");
    const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
    assert.match((await run("keys", "show", id)).stdout, /expires +2099-03-01 00:00Z/);
    assert.match((await run("keys", "set", id, "--expires", "2099-01-31T12:00+02:00")).stdout, /2099-01-31 10:00Z/);
    assert.match((await run("keys", "set", id, "--expires", "never")).stdout, /expires +never/);
    assert.equal((await run("keys", "create", "--name", "Demo", "--plan", "pro", "--expires", "never")).code, 0);
  });

  test("an unknown key is a failure, not a usage error", async () => {
    const { run } = fresh();
    for (const args of [
      ["show", "key_none"],
      ["revoke", "key_none", "--yes"],
    ]) {
      const { code, stderr } = await run("keys", ...args);
      assert.deepEqual([code, stderr], [1, "There is no key key_none; list all keys with keys list.\n"]);
    }
  });

  test("creates and rotates a key as JSON", async () => {
    const { run } = fresh({ now: () => Date.UTC(2026, 10, 20) });
    const created = JSON.parse((await run("keys", "create", "--name", "Demo", "--plan", "pro", "--json")).stdout);
    assert.match(created.secret, /^dir_live_\w+$/);
    assert.equal(created.state, "valid");
    const rotated = JSON.parse((await run("keys", "rotate", created.id, "--grace", "1h", "--json")).stdout);
    assert.equal(rotated.old_secret_valid_until, "2026-11-20T01:00:00.000Z");
    assert.notEqual(rotated.secret, created.secret);
  });

  for (const [args, message] of [
    [["create", "--name", "X", "--plan", "gold"], /discovery, pro/],
    [["create", "--name", "X"], /--plan/],
    [["create", "--name", "X", "--plan", "discovery", "--daily-items", "99999"], /allows at most/],
    [["create", "--name", "X", "--plan", "pro", "--daily-items", "many"], /whole number/],
    [["create", "--name", "X", "--plan", "pro", "--expires", "soon"], /2027-01-31/],
    [["create", "--name", "X", "--plan", "pro", "--expires", "2099-02-30"], /2027-01-31/],
    [["create", "--name", "X", "--plan", "pro", "--expires", "2099-01-31T12:00"], /2027-01-31T12:00:00Z/],
    [["set", "key_none"], /nothing to update/],
    [["rotate", "key_none", "--grace", "long"], /24h/],
    [["destroy"], /unknown command/],
  ] as const) {
    test(`"keys ${args.join(" ")}" is a usage error with a hint`, async () => {
      const { code, stderr } = await fresh().run("keys", ...args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    });
  }
});
