import assert from "node:assert/strict";
import { test } from "node:test";
import { openPanelStore } from "../../src/store/store-location.ts";
import { openDatabase } from "@triptych/storage";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, panelStore } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { ask, openFixture } from "../support/create-test-panel.ts";

const EMAIL = ["--email", "ada@example.org"];

test("creates an account with the given options, prints it once as JSON, and rejects a duplicate email", async () => {
  await using fixture = await openFixture();
  const made = await fixture.run(["create-account", ...EMAIL, "--plan", "team", "--password", "-"], {
    typed: "open sesame\nnot this\n",
  });
  assert.equal(made.code, 0, made.stderr);
  const account = JSON.parse(made.stdout);
  assert.deepEqual(Object.keys(account), ["account_id", "email", "password", "access_token", "license_key", "plan"]);
  assert.deepEqual([account.email, account.password, account.plan], ["ada@example.org", "open sesame", "team"]);
  await using store = await openPanelStore({ dataFolder: fixture.data, databaseUrl: undefined });
  assert.equal((await store.system.byEmail("ada@example.org"))?.account.id, account.account_id);
  const again = await fixture.run(["create-account", "--email", "ADA@example.org"]);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /ada@example\.org already has an account\./);
});

test("rotates the signing key beside a running panel, with an audit entry", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  const published = async () => (await ask(url, "/.well-known/jwks.json")).body.keys;
  const [first] = await published();
  const rotated = await fixture.run(["keys", "rotate", "--json"]);
  assert.equal(rotated.code, 0, rotated.stderr);
  const states = (text: string) => JSON.parse(text).map(({ state }: { readonly state: string }) => state);
  assert.deepEqual(states(rotated.stdout), ["next", "active"]);
  assert.equal((await published()).length, 2);
  const again = await fixture.run(["keys", "rotate"]);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /already published/);
  assert.equal((await fixture.run(["keys", "rotate", "--now"])).code, 0);
  const list = await fixture.run(["keys", "list"]);
  assert.match(list.stdout, /next[\s\S]*active[\s\S]*retired/);
  assert.ok((await published()).some(({ kid }: { readonly kid: string }) => kid === first.kid));
  const location = { dataFolder: fixture.data, databaseUrl: undefined };
  await using database = await panelStore.open(location, { readOnly: true });
  const rows = await database.db.selectFrom("audit").select("what").where("owner", "=", "installation").execute();
  assert.deepEqual(rows.map(({ what }) => what).toSorted(), ["signing_key_rotated", "signing_key_rotated_now"]);
});

test("changes plan, suspension and password beside a running panel, each with an audit entry", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  const { email, access_token: token, password } = (await fixture.credentials()).pro;
  const login = (password: string) => ask(url, "/api/auth/login", { method: "POST", body: { email, password } });
  const cookie = (await login(password)).headers.get("set-cookie")?.split(";")[0] ?? "";
  const session = async () => (await fetch(`${url}/api/auth/session`, { headers: { cookie } })).status;
  assert.equal(await session(), 200);

  const planned = await fixture.run(["set-plan", "--email", email, "--plan", "free"]);
  assert.equal(JSON.parse(planned.stdout).plan, "free");
  assert.equal((await ask(url, "/api/account", { token })).body.plan.id, "free");
  assert.equal(JSON.parse((await fixture.run(["suspend", "--yes", "--email", email])).stdout).status, "suspended");
  const repo = { token, method: "POST", body: { url: "https://git.example.org/a.git" } };
  assert.equal((await ask(url, "/api/repos", repo)).body.code, "account_suspended");
  await fixture.run(["resume", "--email", email]);
  assert.equal((await ask(url, "/api/repos", repo)).status, 201);

  const set = await fixture.run(["set-password", "--email", email]);
  const { password: made } = JSON.parse(set.stdout);
  assert.deepEqual([await session(), (await login(password)).status, (await login(made)).status], [401, 401, 200]);
  const typed = await fixture.run(["set-password", "--email", email, "--password", "-"], { typed: "chosen by hand" });
  assert.ok(!typed.stdout.includes("chosen by hand"));
  assert.equal((await login("chosen by hand")).status, 200);

  const source = {
    url: `sqlite:${panelStore.fileIn(fixture.data)}`,
    schema: PANEL_SCHEMA,
    migrations: PANEL_MIGRATIONS,
  };
  await using database = await openDatabase<PanelTables>({ ...source, readOnly: true });
  const noted = await database.db.selectFrom("audit").select("what").orderBy("at").orderBy("id").execute();
  assert.deepEqual(
    noted.map(({ what }) => what),
    ["plan_free", "suspend", "resume", "password_set", "password_set"],
  );
});

test("exits with 2 on usage errors and with 1 on failures", async () => {
  await using fixture = await openFixture();
  for (const args of [
    [],
    ["nonsense"],
    ["create-account"],
    ["create-account", "--email", "nobody"],
    ["create-account", ...EMAIL, "--plan", "gold"],
    ["create-account", ...EMAIL, "--password", "typed-in-the-open"],
    ["set-plan", ...EMAIL],
    ["suspend", ...EMAIL],
  ]) {
    const { code, stdout, stderr } = await fixture.run(args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.ok(stderr.length > 20, args.join(" "));
  }
  for (const args of [
    ["suspend", "--yes", ...EMAIL],
    ["set-password", ...EMAIL],
    ["set-plan", ...EMAIL, "--plan", "pro"],
  ]) {
    const { code, stderr } = await fixture.run(args);
    assert.equal(code, 1);
    assert.match(stderr, /No account has the email address ada@example\.org\./);
  }
  const short = await fixture.run(["create-account", ...EMAIL, "--password", "-"], { typed: "short\n" });
  assert.equal(short.code, 1);
  assert.match(short.stderr, /8 to 1000 characters/);
});
