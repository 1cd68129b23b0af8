import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { storeOn } from "../../src/store/open-store.ts";
import { createFixture } from "../support/create-fixture.ts";

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

test("accepts a link once and before its expiry, and counts invalid ones by address", async () => {
  await using fixture = await createFixture();
  const { account_id: owner } = fixture.pro;
  const store = storeOn(fixture.database);
  const link = (secret: string, expiresAt: number) =>
    store.change(owner, ({ account }) => account.addLink({ hash: hashOf(secret), expiresAt }));
  await link("good", Date.parse("2026-11-22T10:15:00Z"));
  await link("over", Date.parse("2026-11-22T09:59:00Z"));
  const once = (token: string) => fixture.ask("POST", "/api/auth/once", { body: { token } });
  const entered = await once("good");
  assert.deepEqual([entered.statusCode, entered.json().account.email], [200, fixture.pro.email], entered.body);
  const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
  assert.equal((await fixture.ask("GET", "/api/auth/session", { headers: { cookie } })).statusCode, 200);
  assert.ok(!fixture.lines.join("").includes("good"));
  const statuses: number[] = [];
  for (const token of ["good", "over", "wrong", "wrong", "wrong", "wrong"])
    statuses.push((await once(token)).statusCode);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  const late = await once("wrong");
  assert.match(late.json().detail, /within 15 minutes/);
  assert.equal(late.headers["retry-after"], "900");
  const empty = await fixture.ask("POST", "/api/auth/once", { body: { tokn: "x" } });
  assert.deepEqual(
    empty
      .json()
      .errors.map(({ path }: { path: string }) => path)
      .toSorted(),
    ["/token", "/tokn"],
  );
});

test("replays an idempotent response only to callers with permission", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const make = async (scopes: readonly string[]) =>
    (await fixture.ask("POST", "/api/account/tokens", { token, body: { name: "one", scopes } })).json().token;
  const [reads, writes] = [await make(["read"]), await make(["write"])];
  const headers = { "idempotency-key": "one" };
  const mint = (token: string, name: string) =>
    fixture.ask("POST", "/api/account/tokens", { token, headers, body: { name, scopes: ["admin"] } });
  assert.equal((await mint(token, "deploy")).statusCode, 201);
  for (const other of [reads, writes])
    for (const name of ["deploy", "another"]) {
      const answer = await mint(other, name);
      assert.deepEqual([answer.statusCode, answer.json().required_scope], [403, "admin"], answer.body);
    }
  assert.equal((await mint(token, "deploy")).headers["idempotency-replayed"], "true");

  const add = (token: string) =>
    fixture.ask("POST", "/api/repos", { token, headers, body: { url: "https://git.example.org/acme/sum" } });
  const repo = (await add(token)).json();
  assert.deepEqual([(await add(reads)).statusCode, (await add(writes)).json().id], [403, repo.id]);
});

test("refuses cross-site sign-in and accepts its own pages and non-browser clients", async () => {
  await using fixture = await createFixture();
  const body = { email: fixture.pro.email, password: "wrong" };
  const login = (headers: Record<string, string>) => fixture.ask("POST", "/api/auth/login", { body, headers });
  const foreign: readonly Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ];
  for (const headers of foreign) {
    const refused = await login(headers);
    assert.deepEqual([refused.statusCode, refused.json().code], [403, "csrf_failed"], JSON.stringify(headers));
  }
  const once = await fixture.ask("POST", "/api/auth/once", { body: { token: "x" }, headers: foreign[0] ?? {} });
  assert.deepEqual([once.statusCode, once.json().code], [403, "csrf_failed"]);
  assert.equal((await login({})).statusCode, 401);
  assert.equal((await login({ "sec-fetch-site": "same-origin" })).statusCode, 401);
});

test("counts sign-in requests with invalid bodies by address", async () => {
  await using fixture = await createFixture();
  const statuses: number[] = [];
  for (let count = 0; count < 121; count++)
    statuses.push((await fixture.ask("POST", "/api/auth/login", { body: { emial: "x" } })).statusCode);
  assert.deepEqual([statuses.filter((status) => status === 400).length, statuses.at(-1)], [120, 429]);
});
