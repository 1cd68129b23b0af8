import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { countTokens } from "../../src/domain/account-usage.ts";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import { messagesOf } from "../support/bus.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const REPO = repoRecord({ name: "100%_A", credentialKind: "token", sealedCredential: "sealed" });

const DAY_MS = 86_400_000;

const NOTHING_USED = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost_source: "reported",
  by_role: {},
} as const;

forEachEngine<PanelTables>("the run repository", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("finds accounts by their secrets, rejects a duplicate email, and isolates accounts", async () => {
    await using database = await open();
    const store = storeOn(database);
    assert.equal(await store.system.isEmpty(), true);
    assert.equal(await store.system.createAccount(newAccount(accountRecord("acc_a"), "a")), true);
    assert.equal(await store.system.createAccount(newAccount(accountRecord("acc_a"), "a")), false);
    await store.system.createAccount(newAccount(accountRecord("acc_b"), "b"));
    assert.equal((await store.system.byToken("b".repeat(64)))?.account.id, "acc_b");
    assert.equal((await store.system.byLicense("a".repeat(64)))?.id, "acc_a");
    await store.change("acc_a", ({ repos }) => repos.add(REPO));
    assert.deepEqual(await store.of("acc_a").repos.find("rep_1"), REPO);
    const other = store.of("acc_b");
    assert.deepEqual([await other.repos.find("rep_1"), await other.repos.count()], [null, 0]);
    const search = (q: string) => store.of("acc_a").repos.list({ q }, { below: null, limit: 9 });
    assert.deepEqual([(await search("0%_a")).length, (await search("0_a")).length], [1, 0]);
    await store.change("acc_a", ({ repos }) => repos.save({ ...REPO, name: "École" }));
    assert.deepEqual([(await search("École")).length, (await search("ÉCOLe")).length], [1, 1]);
  });

  test("serializes changes of an account: of two concurrent runs with one focus, one is created", async () => {
    await using database = await open();
    const store = storeOn(database);
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    await store.change("acc_a", ({ repos }) => repos.add(REPO));
    const { account } = newAccount(accountRecord("acc_a"), "a");
    const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
    const start = (id: string) =>
      store.change("acc_a", (repositories) =>
        createRun(repositories, input, { account, repo: REPO, id, now: 5, hasWorkers: false }),
      );
    const ended = await Promise.allSettled([start("run_1"), start("run_2")]);
    assert.deepEqual(ended.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const [run] = await store.of("acc_a").runs.list({ phase: "active" }, { below: null, limit: 9 });
    assert.ok(run !== undefined);
    assert.deepEqual(await store.system.agedRuns(5, 9), [{ owner: "acc_a", id: run.id }]);
    const result = { code: "expired", message: "" } as const;
    const failed = await store.change("acc_a", (repositories) =>
      transitionRun(repositories, run, "aged_out", { at: 9, result }),
    );
    assert.deepEqual(await store.of("acc_a").runs.find(run.id), failed);
    const stats = await store.of("acc_a").repos.stats(["rep_1"], 0);
    assert.deepEqual(stats.get("rep_1")?.ended, { well: 0, badly: 1 });
    assert.deepEqual(stats.get("rep_1")?.lastRun, { id: run.id, state: "expired" });
  });

  test("includes the credential of the run's repo when there are more than the limit", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    const ids = Array.from({ length: 102 }, (_, index) => `rep_${String(index).padStart(3, "0")}`);
    const [repo] = await store.change("acc_a", async ({ repos }) => {
      const all = ids.map((id) => repoRecord({ id, credentialKind: "token", sealedCredential: `sealed ${id}` }));
      for (const repo of all) await repos.add(repo);
      return all;
    });
    assert.ok(repo !== undefined);
    const making = { account, repo, id: "run_1", now: 5, hasWorkers: false };
    const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
    await store.change("acc_a", (repositories) => createRun(repositories, input, making));
    const sealedFor = async (run: string) => (await store.of("acc_a").repos.sealed(run)).map(({ id }) => id);
    assert.deepEqual(await sealedFor("run_1"), ["rep_000", ...ids.slice(3).toReversed()]);
    assert.deepEqual(await sealedFor("run_of_nobody"), ids.slice(2).toReversed());
  });

  test("counts pushed runs without pull requests as success, but not those that wait for one", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    const trigger = { type: "manual", retryOf: null } as const;
    const push = (id: string, provider: "git" | "github") =>
      store.change("acc_a", async (repositories) => {
        const repo = repoRecord({ id: `rep_${id}`, provider });
        await repositories.repos.add(repo);
        const making = { account, repo, id: `run_${id}`, now: 5, hasWorkers: false };
        let run = await createRun(repositories, { kind: "maintain", trigger }, making);
        for (const event of ["leased", "accepted", "ready", "agent_ended", "passed"] as const)
          run = await transitionRun(repositories, run, event, { at: 6 });
        await transitionRun(repositories, run, "push_confirmed", { at: 7, pushedAt: 7 });
      });
    await push("rests", "git");
    await push("waits", "github");
    const ids = ["rep_rests", "rep_waits"];
    const ended = async (since: number) => {
      const stats = await store.of("acc_a").repos.stats(ids, since);
      return ids.map((id) => stats.get(id)?.ended);
    };
    assert.deepEqual(await ended(7), [
      { well: 1, badly: 0 },
      { well: 0, badly: 0 },
    ]);
    assert.deepEqual((await ended(8))[0], { well: 0, badly: 0 });
  });

  test("excludes explore runs and runs cancelled by users from the success rate", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    const repo = repoRecord({});
    await store.change("acc_a", ({ repos }) => repos.add(repo));
    const trigger = { type: "manual", retryOf: null } as const;
    const end = (id: string, kind: "maintain" | "explore", events: readonly RunEvent[]) =>
      store.change("acc_a", async (repositories) => {
        const making = { account, repo, id, now: 5, hasWorkers: false };
        let run = await createRun(repositories, { kind, focus: id, trigger }, making);
        const result = { code: "internal", message: "" } as const;
        for (const event of events) run = await transitionRun(repositories, run, event, { at: 7, result });
      });
    await end("run_1", "explore", ["leased", "accepted", "ready", "agent_ended", "gates_run"]);
    await end("run_2", "explore", ["leased", "accepted", "failed"]);
    await end("run_3", "maintain", ["cancelled"]);
    const ended = async () => (await store.of("acc_a").repos.stats(["rep_1"], 0)).get("rep_1");
    assert.deepEqual((await ended())?.ended, { well: 0, badly: 0 });
    await end("run_4", "maintain", ["leased", "accepted", "failed"]);
    await end("run_5", "maintain", ["leased", "accepted", "ready", "unchanged"]);
    assert.deepEqual((await ended())?.ended, { well: 1, badly: 1 });
    assert.equal((await ended())?.lastRun?.id, "run_5");
  });

  test("counts merged and closed pull requests and the exact cost of all runs in the requested time", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    const repo = repoRecord({});
    await store.change("acc_a", ({ repos }) => repos.add(repo));
    const trigger = { type: "manual", retryOf: null } as const;
    const pr = { number: 1, url: "https://git.example.org/1", state: "open", draft: false, adopted: false } as const;
    const usage = (cost: number | null) => ({ ...NOTHING_USED, input_tokens: 7, turns: 1, cost_micro: cost });
    const finish = (id: string, at: number, cost: number | null) =>
      store.change("acc_a", async (repositories) => {
        const making = { account, repo, id, now: 5, hasWorkers: false };
        let run = await createRun(repositories, { kind: "maintain", focus: id, trigger }, making);
        for (const event of ["leased", "accepted", "ready", "agent_ended", "passed"] as const)
          run = await transitionRun(repositories, run, event, { at });
        run = await transitionRun(repositories, run, "push_confirmed", { at, pushedAt: at });
        await transitionRun(repositories, run, "pr_found", { at, facts: { pr, usage: usage(cost) } });
      });
    const end = (id: string, state: "merged" | "closed", prEndedAt: number) =>
      store.change("acc_a", async ({ runs }) => {
        const run = await runs.find(id);
        if (run !== null) await runs.learn({ ...run, facts: { ...run.facts, pr: { ...pr, state }, prEndedAt } });
      });
    const seen = async (since: number) => (await store.of("acc_a").repos.stats(["rep_1"], since)).get("rep_1")?.prs;
    assert.deepEqual(await seen(0), { merged: 0, closed: 0, costMicro: 0 });
    // Above 32 bits.
    await finish("run_1", 10, 5_000_000_000);
    await finish("run_2", 20, 7);
    await finish("run_3", 20, 0);
    await finish("run_4", 20, 1);
    await store.change("acc_a", (repositories) =>
      createRun(
        repositories,
        { kind: "maintain", focus: "queued", trigger },
        { account, repo, id: "run_5", now: 5, hasWorkers: false },
      ),
    );
    assert.deepEqual(await seen(0), { merged: 0, closed: 0, costMicro: 5_000_000_008 });
    await end("run_1", "merged", 30);
    await end("run_2", "merged", 40);
    await end("run_3", "closed", 40);
    assert.deepEqual(await seen(0), { merged: 2, closed: 1, costMicro: 5_000_000_008 });
    assert.deepEqual(await seen(20), { merged: 2, closed: 1, costMicro: 8 });
    assert.deepEqual(await seen(31), { merged: 1, closed: 1, costMicro: 0 });
    assert.deepEqual(await seen(41), { merged: 0, closed: 0, costMicro: 0 });
    await finish("run_6", 20, null);
    assert.deepEqual(await seen(0), { merged: 2, closed: 1, costMicro: null });
  });

  test("sums agent usage by day as differences of totals, and agent time on leaving a run", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    await store.system.createAccount(newAccount(accountRecord("acc_b"), "b"));
    await store.change("acc_a", ({ repos }) => repos.add(REPO));
    const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
    const used = await store.change("acc_a", async (repositories) => {
      const made = await createRun(repositories, input, { account, repo: REPO, id: "run_1", now: 5, hasWorkers: true });
      const leased = await transitionRun(repositories, made, "leased", {
        at: 10,
        epoch: 1,
        attempt: 1,
        leaseUntil: 99,
      });
      const accepted = await transitionRun(repositories, leased, "accepted", { at: 20 });
      const ready = await transitionRun(repositories, accepted, "ready", { at: 30, startedAt: 30 });
      const nothing = ready.facts.usage;
      const some = { ...nothing, input_tokens: 7, output_tokens: 2, cost_micro: 30 };
      await countTokens(repositories, { before: nothing, after: some, at: 40 });
      await countTokens(repositories, { before: some, after: { ...some, input_tokens: 9 }, at: DAY_MS });
      const ended = await transitionRun(repositories, ready, "agent_ended", { at: 50 });
      await transitionRun(repositories, ended, "failed", { at: 1_030, result: { code: "verify_failed", message: "" } });
      return [await repositories.usage.since(0), await repositories.usage.since(DAY_MS)];
    });
    const last = { agentMs: 0, inputTokens: 2, outputTokens: 0, costMicro: 0 };
    assert.deepEqual(used, [{ agentMs: 1_000, inputTokens: 9, outputTokens: 2, costMicro: 30 }, last]);
    assert.deepEqual(await store.of("acc_b").usage.since(0), { ...last, inputTokens: 0 });
  });

  test("numbers the bus of a run without gaps, and drops resent messages", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { account } = newAccount(accountRecord("acc_a"), "a");
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    await store.change("acc_a", ({ repos }) => repos.add(REPO));
    const events: string[] = [];
    const until = Promise.withResolvers<void>();
    const stop = await store.listen((hint) => {
      events.push(`${hint?.type} ${hint?.id} ${hint?.revision}`);
      if (hint?.type === "bus" && hint.revision === 4) until.resolve();
    });
    const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
    const making = { account, repo: REPO, id: "run_1", now: 5, hasWorkers: true };
    const made = await store.change("acc_a", (repositories) => createRun(repositories, input, making));
    assert.equal(made.lastSeq, 1);
    const from = { role: "coder", agent: null, cli: "scripted", model: null } as const;
    const itemOf = (wseq: number) =>
      ({ at: 6, from, kind: "message", text: `word ${wseq}`, data: {}, round: 1, wseq }) as const;
    const say = (...wseqs: number[]) => store.change("acc_a", ({ bus }) => bus.append("run_1", 1, wseqs.map(itemOf)));
    assert.deepEqual([await say(1, 2), await say(1, 2), await say(2, 3)], [3, 3, 4]);
    const { bus } = store.of("acc_a");
    const all = await messagesOf(store.of("acc_a"), "run_1");
    assert.deepEqual(
      all.map(({ seq, kind, text }) => [seq, kind, text]),
      [
        [1, "state", "queued"],
        [2, "message", "word 1"],
        [3, "message", "word 2"],
        [4, "message", "word 3"],
      ],
    );
    const { wseq: _, ...first } = itemOf(1);
    const position = { seq: 2, run_id: "run_1", epoch: 1, to: "all", reply_to: null };
    assert.deepEqual(all[1], { ...position, ...first, at: "1970-01-01T00:00:00.006Z" });
    assert.deepEqual([await bus.lastWseq("run_1", 1), await bus.lastWseq("run_1", 2)], [3, 0]);
    await until.promise;
    assert.ok(events.includes("run run_1 1"));
    await stop();
  });

  test("rolls back a refused change completely", async () => {
    await using database = await open();
    const store = storeOn(database);
    await store.system.createAccount(newAccount(accountRecord("acc_a"), "a"));
    const refused = store.change("acc_a", async ({ repos }) => {
      await repos.add(REPO);
      throw new Error("refused");
    });
    await assert.rejects(refused, /refused/);
    assert.equal(await store.of("acc_a").repos.count(), 0);
  });
});
