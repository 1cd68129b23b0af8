import assert from "node:assert/strict";
import { test } from "node:test";
import { openScene } from "../support/create-fixture.ts";

const URL_OF_REPO = "https://git.example.org/acme/sum.git";

async function openRepoScene(settings: object = { verify_cmd: "npm test" }) {
  const scene = await openScene();
  const token = scene.pro.access_token;
  const made = await scene.ask("POST", "/api/repos", { token, body: { url: URL_OF_REPO, ...settings } });
  const at = `/api/repos/${made.json().id}`;
  return { ...scene, made, token, at, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

test("answers 202 with the pending check, and null where there was none", async () => {
  await using scene = await openRepoScene();
  const { ask, token, at } = scene;
  assert.equal(scene.made.json().check, null);
  const answer = await ask("POST", `${at}/check`, { token });
  const pending = { state: "pending", message: null, setup: null, verify: null, checked_at: null };
  assert.deepEqual([answer.statusCode, answer.json().check], [202, pending]);
  assert.deepEqual((await ask("GET", at, { token })).json().check, pending);
  assert.deepEqual((await ask("GET", "/api/repos", { token })).json().items[0].check, pending);
});

test("tells that a repo without commands has nothing to check", async () => {
  await using scene = await openRepoScene({});
  const { check } = (await scene.ask("POST", `${scene.at}/check`, { token: scene.token })).json();
  assert.deepEqual(
    [check.state, check.message],
    ["unavailable", "The repository has neither a setup command nor a verify command."],
  );
});

test("refuses another account, a read-only token, and a body", async () => {
  await using scene = await openRepoScene();
  const { ask, at, token } = scene;
  const made = await ask("POST", "/api/account/tokens", { token, body: { name: "r", scopes: ["read"] } });
  const post = async (bearer: string, body?: unknown) =>
    (await ask("POST", `${at}/check`, { token: bearer, ...(body !== undefined && { body }) })).statusCode;
  assert.equal(await post(scene.free.access_token), 404);
  assert.equal(await post(made.json().token), 403);
  assert.equal(await post("pnl_nobody"), 401);
  assert.equal(await post(token, { id: "chk_1" }), 400);
  assert.equal((await ask("GET", at, { token })).json().check, null);
});
