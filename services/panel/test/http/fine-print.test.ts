/** Rules of section 1 for all routes, where a single route could miss them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const REPO = { url: "https://git.example.org/acme/sum.git" };

async function openAccount() {
  const fixture = await createFixture();
  const token = fixture.pro.access_token;
  const ask = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object, headers = {}) =>
    fixture.ask(method, path, { token, headers, ...(body !== undefined && { body }) });
  const repo = (await ask("POST", "/api/repos", REPO)).json();
  return {
    fixture,
    token,
    ask,
    at: `/api/repos/${repo.id}`,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

test("restores defaults on null: of a repo name, provider, credential and status, of a memory all but its text", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const credential = { kind: "token", token: "a-token" };
  const changed = (await ask("PATCH", at, { name: "Other", provider: "gitlab", credential, status: "paused" })).json();
  assert.deepEqual([changed.name, changed.provider, changed.credential.kind], ["Other", "gitlab", "token"]);
  const restored = (await ask("PATCH", at, { name: null, provider: null, credential: null, status: null })).json();
  assert.deepEqual(
    [restored.name, restored.provider, restored.credential.kind, restored.credential.set, restored.status],
    ["acme/sum", "git", "none", false, "active"],
  );
  const about = { kind: "pitfall", pinned: true, scope: "src/**" };
  const memory = (await ask("POST", `${at}/memories`, { text: "Use tabs.", ...about })).json();
  const patch = { kind: null, pinned: null, scope: null, status: null };
  const plain = (await ask("PATCH", `${at}/memories/${memory.id}`, patch)).json();
  assert.deepEqual(plain, { ...memory, kind: "convention", pinned: false, scope: null, status: "active" });
});

test("accepts any matching revision of a list, and a paused new repo", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const match = (header: string) => ask("PATCH", at, { focus: "Tidy up." }, { "if-match": header });
  assert.equal((await match('"7", "1"')).statusCode, 200);
  assert.equal((await match('"7", "1"')).json().code, "revision_conflict");
  assert.equal((await match("*")).statusCode, 200);
  const url = "https://git.example.org/acme/other.git";
  assert.equal((await ask("POST", "/api/repos", { url, status: "paused" })).json().status, "paused");
});

test("lists tokens page by page, newest first", async () => {
  await using account = await openAccount();
  const { ask } = account;
  for (const name of ["one", "two"]) await ask("POST", "/api/account/tokens", { name, scopes: ["read"] });
  const first = (await ask("GET", "/api/account/tokens?limit=1")).json();
  const second = (await ask("GET", `/api/account/tokens?limit=2&cursor=${first.next_cursor}`)).json();
  const names = [...first.items, ...second.items].map(({ name }: { name: string }) => name);
  assert.deepEqual([names.slice(0, 2), second.items.length, second.next_cursor], [["two", "one"], 2, null]);
});

test("rejects ending sessions with a read-only token, and a token as a session", async () => {
  await using account = await openAccount();
  const { fixture, ask } = account;
  const { token } = (await ask("POST", "/api/account/tokens", { name: "reads", scopes: ["read"] })).json();
  const out = await fixture.ask("POST", "/api/auth/logout", { token, body: { everywhere: true } });
  assert.deepEqual([out.statusCode, out.json().required_scope], [403, "write"]);
  const none = await ask("GET", "/api/auth/session");
  assert.deepEqual([none.statusCode, none.headers["www-authenticate"]], [401, "Session"]);
});

test("retries a run from the requested branch, and accepts only valid git names", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const run = (await ask("POST", `${at}/run`, { base_branch: "release/1.x" })).json();
  await ask("POST", `/api/runs/${run.id}/cancel`);
  const again = (await ask("POST", `/api/runs/${run.id}/retry`)).json();
  assert.deepEqual([again.trigger.retry_of, again.base.branch], [run.id, "release/1.x"]);
  const names = [
    "-f",
    "/a",
    "a/",
    "a..b",
    "a//b",
    ".a",
    "a.",
    "a/.b",
    "a.lock",
    "a.lock/b",
    "a@{1}",
    "a b",
    "a:b",
    "*",
  ];
  for (const base_branch of names) assert.equal((await ask("POST", `${at}/run`, { base_branch })).statusCode, 400);
});

test("rejects a body with invalid content where none is required", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const run = (await ask("POST", `${at}/run`)).json();
  const refused = await ask("POST", `/api/runs/${run.id}/cancel`, { reason: "late" });
  assert.deepEqual([refused.statusCode, refused.json().errors[0].path], [400, "/reason"]);
  assert.equal((await ask("DELETE", at, { force: true })).statusCode, 400);
  assert.equal((await ask("POST", `/api/runs/${run.id}/cancel`, {})).statusCode, 202);
});

test("varies bus responses by credential and media type, errors included", async () => {
  await using account = await openAccount();
  const { fixture, ask, at } = account;
  const run = (await ask("POST", `${at}/run`)).json();
  for (const token of [account.token, fixture.free.access_token, "pnl_none"]) {
    const { headers } = await fixture.ask("GET", `/api/runs/${run.id}/bus`, { token });
    assert.match(String(headers["vary"]), /^Accept\b/);
    assert.equal(headers["cache-control"], "no-store");
  }
});

test("refuses script URLs as repository addresses", async () => {
  await using account = await openAccount();
  for (const url of ["javascript:alert(1)", "data:text/html,x", "JavaScript:x/y.git", "file:etc", "http:/x"])
    assert.equal((await account.ask("POST", "/api/repos", { url })).statusCode, 400, url);
});

test("rejects an invalid glob with 400 in every glob field, listed among the issues", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const memory = (await ask("POST", `${at}/memories`, { text: "Use tabs.", scope: "src/{a,b}/**" })).json();
  const bad = ["src/**", "**/[", "!docs/**", "{a,"];
  const sent: readonly (readonly [method: "POST" | "PATCH", path: string, body: object, issues: readonly string[]])[] =
    [
      [
        "PATCH",
        at,
        { protected_paths: bad, explore: { areas: ["+(a|b).ts"] }, pr: { draft: "yes" } },
        ["/explore/areas/0", "/pr/draft", "/protected_paths/1", "/protected_paths/2", "/protected_paths/3"],
      ],
      ["POST", "/api/repos", { url: `${REPO.url}2`, protected_paths: ["a\\b"] }, ["/protected_paths/0"]],
      ["POST", `${at}/run`, { gate: { cmd: "true", frozen_paths: ["test/[x"] } }, ["/gate/frozen_paths/0"]],
      ["POST", `${at}/explore`, { areas: ["a//b"] }, ["/areas/0"]],
      ["POST", `${at}/memories`, { text: "Use spaces.", scope: "{a}" }, ["/scope"]],
      ["PATCH", `${at}/memories/${memory.id}`, { scope: "[" }, ["/scope"]],
    ];
  for (const [method, path, body, issues] of sent) {
    const answer = await ask(method, path, body);
    const { code, errors = [] } = answer.json();
    const paths = errors.map((error: { path: string }) => error.path).toSorted();
    assert.deepEqual([answer.statusCode, code, paths], [400, "validation_failed", issues], path);
  }
  const settings = (await ask("GET", at)).json();
  assert.deepEqual(settings.protected_paths, [".github/**", ".gitlab-ci.yml", ".forgejo/**", ".gitea/**"]);
});

test("rejects a text that contains a secret with 400 and its kind, without its value", async () => {
  await using account = await openAccount();
  const { fixture, ask, at } = account;
  const token = `ghp_${"a1B2".repeat(9)}`;
  const memory = (await ask("POST", `${at}/memories`, { text: "Use tabs." })).json();
  const run = (await ask("POST", `${at}/run`, {})).json();
  await ask("POST", `/api/runs/${run.id}/cancel`);
  const sent = [
    ["POST", `${at}/run`, { focus: `Use ${token}.` }, "/focus"],
    ["POST", `/api/runs/${run.id}/retry`, { focus: `Use ${token}.` }, "/focus"],
    ["PATCH", at, { focus: `Use ${token}.` }, "/focus"],
    ["PATCH", at, { pr: { labels: ["ok", token] } }, "/pr/labels/1"],
    ["POST", "/api/repos", { url: `${REPO.url}2`, name: token }, "/name"],
    ["POST", `${at}/memories`, { text: `The key is ${token}.` }, "/text"],
    ["PATCH", `${at}/memories/${memory.id}`, { scope: `src/${token}` }, "/scope"],
  ] as const;
  for (const [method, path, body, pointer] of sent) {
    const answer = await ask(method, path, body);
    const [error, ...more] = answer.json().errors ?? [];
    assert.deepEqual([answer.statusCode, error?.path, error?.reason, more.length], [400, pointer, "secret", 0], path);
    assert.match(error.message, /github_token/);
    assert.ok(!answer.payload.includes(token));
  }
  assert.ok(!fixture.lines.join("").includes(token));
});

test("refuses control and bidi characters and invalid reviewers with 400 and their paths", async () => {
  await using account = await openAccount();
  const { ask, at } = account;
  const pr = {
    title_prefix: "fix\r\nX: 1",
    labels: ["ok", "a\nb", "\u202eevil"],
    reviewers: ["octo-cat", "dependabot[bot]", "@all", "all", "a b", "a\u0001"],
  };
  const answer = await ask("PATCH", at, { name: "a\u2066b", pr });
  assert.equal(answer.statusCode, 400);
  const paths = answer.json().errors.map((error: { path: string }) => error.path);
  const expected = ["/labels/1", "/labels/2", "/reviewers/2", "/reviewers/3", "/reviewers/4", "/reviewers/5"];
  assert.deepEqual(paths.toSorted(), ["/name", ...expected.map((path) => `/pr${path}`), "/pr/title_prefix"]);
  const created = await ask("POST", "/api/repos", { url: `${REPO.url}2`, name: "a\r\nb" });
  assert.deepEqual([created.statusCode, created.json().errors[0].path], [400, "/name"]);
  const fine = { name: "Société 🦊", pr: { title_prefix: "[bot] ", labels: ["à faire"], reviewers: ["octo-cat"] } };
  assert.equal((await ask("PATCH", at, fine)).statusCode, 200);
});

test("rejects an address with a query with 400 and a hint, without repeating it", async () => {
  await using account = await openAccount();
  const answer = await account.ask("POST", "/api/repos", { url: `${REPO.url}?token=t0k3n-value` });
  const [error] = answer.json().errors;
  assert.deepEqual([answer.statusCode, error.path], [400, "/url"]);
  assert.match(error.message, /`credential`/);
  assert.ok(!answer.payload.includes("t0k3n"));
});
