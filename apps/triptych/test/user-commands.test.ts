import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { CommanderError, type Command } from "commander";
import { candidateCommands } from "../src/user/candidates.ts";
import type { Context } from "../src/user/context.ts";
import { loginCommand, logoutCommand } from "../src/user/login.ts";
import { profileCommands } from "../src/user/profile-commands.ts";
import { repoCommands } from "../src/user/repos.ts";
import { runCommands } from "../src/user/runs.ts";
import { walletCommands } from "../src/user/wallet.ts";

interface Recorded {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Scripted answers by method and path. */
const answers = new Map<string, { readonly status: number; readonly body: unknown }>();
const requests: Recorded[] = [];
const server = createServer((request, response) => void respond(request, response));
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = "", headers } = request;
  requests.push({ method, url, authorization: headers.authorization, body: await text(request) });
  const answer = answers.get(`${method} ${url.split("?")[0]}`);
  const isText = typeof answer?.body === "string";
  response.writeHead(answer?.status ?? 404, { "Content-Type": isText ? "text/event-stream" : "application/json" });
  const missing = { status: 404, code: "not_found", detail: "There is no such thing." };
  response.end(isText ? answer.body : JSON.stringify(answer?.body ?? missing));
}

let folder = "";
let url = "";
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
  folder = mkdtempSync(join(tmpdir(), "triptych-user-"));
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  answers.clear();
  requests.length = 0;
  rmSync(join(folder, "triptych"), { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  commandOf: (context: Context) => Command,
  args: readonly string[],
  { stdin = "", environment = {} }: { stdin?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const context: Context = {
    environment: { XDG_CONFIG_HOME: folder, ...environment },
    stdin: [stdin] as unknown as AsyncIterable<unknown>,
    stdout: { write: (text: string) => (out += text), columns: 60 },
    stderr: { write: (text: string) => (err += text) },
  };
  const quiet = (command: Command): Command => {
    command.exitOverride().configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
    command.commands.forEach(quiet);
    return command;
  };
  try {
    await quiet(commandOf(context)).parseAsync([...args], { from: "user" });
    const code = Number(process.exitCode ?? 0);
    process.exitCode = undefined;
    return { code, out, err };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, out, err };
    return { code: 1, out, err: `${err}${error instanceof Error ? error.message : String(error)}` };
  }
}

const TOKEN = "pnl_secret-99";
const signIn = () => {
  answers.set("GET /api/account", { status: 200, body: { email: "owner@example.org" } });
  return run(loginCommand, [url], { stdin: "" }).then(() =>
    run(loginCommand, [url, "--token-stdin"], { stdin: TOKEN }),
  );
};

describe("login and profiles", () => {
  test("stores a checked token with mode 0600, and never prints it", async () => {
    const { code, out, err } = await signIn();
    assert.equal(code, 0, err);
    const file = join(folder, "triptych", "config.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(readFileSync(file, "utf8").includes(TOKEN));
    const listed = await run(profileCommands, ["list"]);
    assert.match(listed.out, /^default \*  panel/m);
    assert.ok(!`${out}${err}${listed.out}`.includes("secret-99"));
    assert.equal(requests[0]?.authorization, `Bearer ${TOKEN}`);
  });

  test("stores nothing if the token is rejected, the URL is invalid, or there is no terminal", async () => {
    answers.set("GET /api/account", { status: 401, body: { status: 401, code: "unauthenticated", detail: "No." } });
    assert.equal((await run(loginCommand, [url, "--token-stdin"], { stdin: TOKEN })).code, 1);
    assert.equal((await run(loginCommand, ["ftp://x", "--token-stdin"], { stdin: TOKEN })).code, 2);
    assert.equal((await run(loginCommand, [url, "--token-stdin"], { stdin: "lic_1" })).code, 2);
    assert.throws(() => statSync(join(folder, "triptych")));
  });

  test("never sends a stored credential to another address", async () => {
    await signIn();
    answers.set("GET /api/repos", { status: 200, body: { items: [], next_cursor: null } });
    await run(repoCommands, ["list"], { environment: { PANEL_URL: `${url}/other/..` } });
    assert.equal(requests.at(-1)?.authorization, undefined);
  });

  test("selects a profile by option and variable, and refuses an unknown one with 2", async () => {
    await signIn();
    assert.equal((await run(repoCommands, ["list", "--profile", "nope"])).code, 2);
    assert.equal((await run(profileCommands, ["use", "nope"])).code, 2);
    const other = { environment: { TRIPTYCH_PROFILE: "work" }, stdin: TOKEN };
    assert.equal((await run(profileCommands, ["set", "rail", url, "--secret-stdin"], other)).code, 0);
    assert.match((await run(profileCommands, ["list", "--json"])).out, /"profile": "work"/);
    assert.equal((await run(logoutCommand, [], other)).code, 2);
    assert.equal((await run(logoutCommand, [])).code, 0);
    assert.ok(!(await run(profileCommands, ["list"])).out.includes("default"));
  });

  test("reports a broken file by name, without its content", async () => {
    await signIn();
    writeFileSync(join(folder, "triptych", "config.json"), `{"secret-99`);
    const { code, err } = await run(repoCommands, ["list"]);
    assert.equal(code, 1);
    assert.match(err, /config\.json is not valid/);
    assert.ok(!err.includes("secret-99"));
  });
});

describe("user commands", () => {
  beforeEach(signIn);
  const repo = { id: "rep_1", name: "demo\u001b[31m", status: "active", url: "https://git.test/a.git" };

  test("print a table without control characters, or JSON only", async () => {
    answers.set("GET /api/repos", { status: 200, body: { items: [repo], next_cursor: null } });
    const table = await run(repoCommands, ["list"]);
    assert.match(table.out, /rep_1 +demo +active/);
    assert.ok(!table.out.includes("\u001b"));
    assert.deepEqual(JSON.parse((await run(repoCommands, ["list", "--json"])).out), [repo]);
  });

  test("follow a run to its end, and exit with 1 if it failed", async () => {
    const runBody = { id: "run_1", state: "failed", phase: "failure", result: { message: "Checks failed." } };
    answers.set("GET /api/runs/run_1", { status: 200, body: runBody });
    const message = { seq: 1, at: "2026-11-26T09:00:00Z", from: { role: "panel" }, kind: "state", text: "queued" };
    const events = `id: 1\ndata: ${JSON.stringify(message)}\n\nevent: end\ndata: {}\n\n`;
    answers.set("GET /api/runs/run_1/bus", { status: 200, body: events });
    const { code, out } = await run(runCommands, ["watch", "run_1"]);
    assert.deepEqual([code, out], [1, "09:00:00  panel     state        queued\nrun_1 failed: Checks failed.\n"]);
    const lines = (await run(runCommands, ["watch", "run_1", "--json"])).out.trim().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).kind ?? "run"),
      ["state", "run"],
    );
    assert.equal((await run(runCommands, ["watch", "run_2"])).code, 1);
  });

  test("reject a candidate only when confirmed", async () => {
    const path = "POST /api/candidates/cnd_1/reject";
    answers.set(path, { status: 200, body: { id: "cnd_1", state: "rejected" } });
    const refused = await run(candidateCommands, ["reject", "cnd_1"]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /Pass --yes/);
    assert.equal((await run(candidateCommands, ["reject", "cnd_1", "--yes"])).out, "cnd_1 rejected\n");
    assert.equal(requests.filter(({ method }) => method === "POST").length, 1);
  });

  test("add a repository with a GitHub App, whose key is in a file", async () => {
    answers.set("POST /api/repos", { status: 201, body: { id: "rep_1", name: "acme/sum", status: "checking" } });
    const key = join(folder, "app.pem");
    writeFileSync(key, "key-of-the-app");
    const add = (...options: readonly string[]) =>
      run(repoCommands, ["add", "https://github.com/acme/sum.git", ...options]);
    const added = await add("--github-app", "12", "--installation", "7", "--key-file", key);
    assert.deepEqual([added.code, added.out], [0, "rep_1  acme/sum: checking\n"]);
    const sent = JSON.parse(requests.at(-1)?.body ?? "");
    const credential = { kind: "github_app", app_id: 12, installation_id: 7, private_key: "key-of-the-app" };
    assert.deepEqual(sent.credential, credential);
    const count = requests.length;
    for (const options of [
      ["--github-app", "12"],
      ["--github-app", "x", "--key-file", key],
      ["--key-file", key],
      ["--installation", "7"],
      ["--github-app", "12", "--key-file", join(folder, "none.pem")],
      ["--github-app", "12", "--key-file", key, "--token-stdin"],
    ])
      assert.equal((await add(...options)).code, 2, options.join(" "));
    assert.equal(requests.length, count);
  });

  test("wallet auto-topup shows, replaces and switches off the setting", async () => {
    const environment = { RAIL_URL: url, WALLET_TOKEN: "rail_test_1" };
    const auto = (...args: readonly string[]) => run(walletCommands, ["auto-topup", ...args], { environment });
    const limits = { amount_micro: 10_000_000, threshold_micro: 2_500_000, max_per_month: 3 };
    const set = { ...limits, status: "needs_payment_method", stop_reason: null, stopped_at: null };
    answers.set("GET /v1/wallets/me", { status: 200, body: { auto_topup: null } });
    assert.equal((await auto()).out, "Automatic top-up is off.\n");
    answers.set("PATCH /v1/wallets/me", { status: 200, body: { auto_topup: set } });
    const changed = await auto("10", "--below", "2,50", "--max-per-month", "3");
    assert.deepEqual([changed.code, JSON.parse(requests.at(-1)?.body ?? "")], [0, { auto_topup: limits }]);
    assert.match(
      changed.out,
      /^needs a payment method.*10\.0000 € when the balance falls below 2\.5000 €, at most 3 a month/,
    );
    answers.set("PATCH /v1/wallets/me", { status: 200, body: { auto_topup: null } });
    assert.equal((await auto("--off")).code, 0);
    assert.deepEqual(JSON.parse(requests.at(-1)?.body ?? ""), { auto_topup: null });
    const count = requests.length;
    for (const wrong of [["10"], ["--below", "2"], ["--off", "10"], ["10", "--below", "2", "--max-per-month", "x"]])
      assert.equal((await auto(...wrong)).code, 2, wrong.join(" "));
    assert.equal(requests.length, count);
  });

  test("wallet caps shows caps and spending, sets only the given caps, and removes one with `none`", async () => {
    const environment = { RAIL_URL: url, WALLET_TOKEN: "rail_test_1" };
    const caps = (...args: readonly string[]) => run(walletCommands, ["caps", ...args], { environment });
    const set = { per_charge_micro: 500, per_day_micro: 2_000_000, per_month_micro: null, total_micro: null };
    const body = { caps: set, spent: { day_micro: 1_250_000, month_micro: 3_000_000, total_micro: 9_000_000 } };
    answers.set("GET /v1/wallets/me", { status: 200, body });
    const { out } = await caps();
    assert.match(out, /per charge +0\.0005 €/);
    assert.match(out, /per day +2\.00 € +1\.2500 €/);
    assert.match(out, /per month +none +3\.0000 €/);
    answers.set("PATCH /v1/wallets/me", { status: 200, body });
    assert.equal((await caps("--per-charge", "0,0005", "--per-month", "none")).code, 0);
    const sent = { caps: { per_charge_micro: 500, per_month_micro: null } };
    assert.deepEqual(JSON.parse(requests.at(-1)?.body ?? ""), sent);
    const count = requests.length;
    for (const wrong of ["0.0000001", "-1", "1e3", ""]) assert.equal((await caps("--per-day", wrong)).code, 2, wrong);
    assert.equal(requests.length, count);
  });

  test("wallet tokens shows a new token once, lists tokens without secrets, and revokes one after confirmation", async () => {
    const environment = { RAIL_URL: url, WALLET_TOKEN: "rail_test_1" };
    const tokens = (...args: readonly string[]) => run(walletCommands, ["tokens", ...args], { environment });
    const limits = { per_charge_micro: null, per_day_micro: 5000, per_month_micro: null, total_micro: null };
    const spent = { day_micro: 0, month_micro: 0, total_micro: 4500 };
    const ends = { created_at: "2026-11-27T00:00:00Z", expires_at: null, revoked_at: null };
    const token = { token_id: "tok_1", name: "scout\u001b[2J", hint: "abc", caps: limits, ops: ["route"], spent };
    const item = { ...token, spendable_micro: 500, ...ends };
    const created = { ...item, wallet_token: "rail_test_2" };
    answers.set("POST /v1/wallets/me/tokens", { status: 201, body: created });
    const made = await tokens("create", "scout", "--per-day", "0.005", "--ops", "route, assess");
    assert.equal(made.code, 0, made.err);
    assert.equal(made.out, "tok_1  can spend 0.0005 €\nrail_test_2\n");
    const sent = { name: "scout", caps: { per_day_micro: 5000 }, ops: ["route", "assess"] };
    assert.deepEqual(JSON.parse(requests.at(-1)?.body ?? ""), sent);

    answers.set("GET /v1/wallets/me/tokens", { status: 200, body: { items: [item], next_cursor: null } });
    assert.match((await tokens("list")).out, /tok_1 +scout +active +0\.0005 € +0\.0045 €/);
    answers.set("DELETE /v1/wallets/me/tokens/tok_1", { status: 204, body: "" });
    const count = requests.length;
    assert.equal((await tokens("revoke", "tok_1")).code, 2);
    assert.equal((await tokens("create", "scout", "--total", "none")).code, 2);
    assert.equal(requests.length, count);
    assert.equal((await tokens("revoke", "tok_1", "--yes")).out, "tok_1 is revoked.\n");
  });

  test("reject a bad amount and a password in an address with exit code 2, without a request", async () => {
    const sent = requests.length;
    for (const amount of ["abc", "1.234", "-5", "0x10"])
      assert.equal((await run(walletCommands, ["topup", "--", amount])).code, 2, amount);
    assert.equal((await run(repoCommands, ["add", "https://me:secret-99@git.test/a.git"])).code, 2);
    assert.equal(requests.length, sent);
  });
});
