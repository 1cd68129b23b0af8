/** Environment variables of a repo, by `POST /api/repos` and `PATCH /api/repos/{id}`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const URL = "https://git.example.org/acme/sum.git";
const SECRET = "registry-token-4711";

async function openAccount() {
  const fixture = await createFixture();
  const token = fixture.pro.access_token;
  const send = (method: "GET" | "POST" | "PATCH", path: string, body?: object) =>
    fixture.ask(method, path, { token, ...(body !== undefined && { body }) });
  return { send, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

describe("repo.environment", () => {
  test("returns variables by name, without the value of an encrypted one", async () => {
    await using account = await openAccount();
    const environment = {
      MODE: "fast",
      REGISTRY: { value: "https://npm.example/" },
      NPM_TOKEN: { value: SECRET, sealed: true },
    };
    const created = await account.send("POST", "/api/repos", { url: URL, environment });
    assert.equal(created.statusCode, 201, created.body);
    assert.ok(!created.body.includes(SECRET));
    assert.deepEqual(created.json().environment, {
      MODE: { value: "fast", sealed: false },
      NPM_TOKEN: { value: null, sealed: true },
      REGISTRY: { value: "https://npm.example/", sealed: false },
    });
    const read = await account.send("GET", `/api/repos/${created.json().id}`);
    assert.deepEqual(read.json().environment, created.json().environment);
  });

  test("patches by name: null removes a variable, null in place of the patch removes all", async () => {
    await using account = await openAccount();
    const { id } = (await account.send("POST", "/api/repos", { url: URL, environment: { A: "1", B: "2" } })).json();
    const patch = async (environment: object | null) =>
      (await account.send("PATCH", `/api/repos/${id}`, { environment })).json().environment;
    assert.deepEqual(await patch({ A: null, C: { value: SECRET, sealed: true } }), {
      B: { value: "2", sealed: false },
      C: { value: null, sealed: true },
    });
    assert.deepEqual(await patch(null), {});
  });

  test("rejects invalid names with 400, lists them all, and stores nothing", async () => {
    await using account = await openAccount();
    const environment = { PATH: "/tmp", LD_PRELOAD: "x", "A-B": "1", "1A": "1", git_dir: "1", GOOD: "1" };
    const refused = await account.send("POST", "/api/repos", { url: URL, environment });
    assert.equal(refused.statusCode, 400);
    const paths = refused.json().errors.map(({ path }: { path: string }) => path);
    for (const name of ["PATH", "LD_PRELOAD", "A-B", "1A", "git_dir"])
      assert.ok(paths.includes(`/environment/${name}`), `${name}: ${refused.body}`);
    assert.ok(!paths.includes("/environment/GOOD"));
    assert.equal((await account.send("GET", "/api/repos")).json().items.length, 0);
  });

  test("allows at most 50 variables, also after a patch", async () => {
    await using account = await openAccount();
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`V${from + n}`, "1"]));
    const { id } = (await account.send("POST", "/api/repos", { url: URL, environment: many(0, 50) })).json();
    const refused = await account.send("PATCH", `/api/repos/${id}`, { environment: many(50, 1) });
    assert.equal(refused.statusCode, 400);
    assert.equal(Object.keys((await account.send("GET", `/api/repos/${id}`)).json().environment).length, 50);
    assert.equal(
      (await account.send("POST", "/api/repos", { url: `${URL}x`, environment: many(0, 51) })).statusCode,
      400,
    );
  });
});
