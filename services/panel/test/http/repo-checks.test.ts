import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const URL_OF_REPO = "https://git.example.org/acme/sum.git";

async function createRepoFixture(settings: object = { verify_cmd: "npm test" }) {
  const fixture = await createFixture();
  const token = fixture.pro.access_token;
  const made = await fixture.ask("POST", "/api/repos", { token, body: { url: URL_OF_REPO, ...settings } });
  const at = `/api/repos/${made.json().id}`;
  return { ...fixture, made, token, at, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

test("answers 202 with the pending check, and null if there was no check", async () => {
  await using fixture = await createRepoFixture();
  const { ask, token, at } = fixture;
  assert.equal(fixture.made.json().check, null);
  const answer = await ask("POST", `${at}/check`, { token });
  const pending = { state: "pending", message: null, setup: null, verify: null, checked_at: null };
  assert.deepEqual([answer.statusCode, answer.json().check], [202, pending]);
  assert.deepEqual((await ask("GET", at, { token })).json().check, pending);
  assert.deepEqual((await ask("GET", "/api/repos", { token })).json().items[0].check, pending);
});

test("answers that a repo without commands has nothing to check", async () => {
  await using fixture = await createRepoFixture({});
  const { check } = (await fixture.ask("POST", `${fixture.at}/check`, { token: fixture.token })).json();
  assert.deepEqual(
    [check.state, check.message],
    ["unavailable", "The repository has neither a setup command nor a verify command."],
  );
});

test("rejects another account, a read-only token, and a body", async () => {
  await using fixture = await createRepoFixture();
  const { ask, at, token } = fixture;
  const made = await ask("POST", "/api/account/tokens", { token, body: { name: "r", scopes: ["read"] } });
  const post = async (bearer: string, body?: unknown) =>
    (await ask("POST", `${at}/check`, { token: bearer, ...(body !== undefined && { body }) })).statusCode;
  assert.equal(await post(fixture.free.access_token), 404);
  assert.equal(await post(made.json().token), 403);
  assert.equal(await post("pnl_nobody"), 401);
  assert.equal(await post(token, { id: "chk_1" }), 400);
  assert.equal((await ask("GET", at, { token })).json().check, null);
});
