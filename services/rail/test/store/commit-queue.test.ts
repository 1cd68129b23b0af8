import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchOutcome, GatewayBatch } from "../../src/domain/charge-batch.ts";
import { createCommitQueue } from "../../src/store/commit-queue.ts";
import { ask, batchOf } from "./fixture.ts";

/** A ledger whose commits complete on demand. */
function createFixture() {
  const commits: { readonly batches: readonly GatewayBatch[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const queue = createCommitQueue({
    ledger: {
      async applyBatches(batches): Promise<readonly BatchOutcome[]> {
        const end = Promise.withResolvers<void>();
        commits.push({ batches, end });
        await end.promise;
        return batches.map(() => []);
      },
    },
    context: () => ({ now: 0, newId: (prefix) => prefix, issuer: "", kid: "", revenue: "" }),
  });
  return { queue, commits, nextTick: () => new Promise((resolve) => setImmediate(resolve)) };
}

const of = (instance: string, charges: number) =>
  batchOf({ instance, charges: Array.from({ length: charges }, (_, index) => ask(index + 1)) });

test("batches that wait during a commit join the next one, in order", async () => {
  const { queue, commits, nextTick } = createFixture();
  const first = queue.submit(of("a", 1));
  await nextTick();
  const rest = ["b", "c", "d"].map((name) => queue.submit(of(name, 20)));
  await nextTick();
  assert.deepEqual(
    commits.map(({ batches }) => batches.map(({ instance }) => instance)),
    [["a"]],
  );
  commits[0]?.end.resolve();
  await first;
  await nextTick();
  assert.deepEqual(
    commits[1]?.batches.map(({ instance }) => instance),
    ["b", "c", "d"],
  );
  commits[1]?.end.resolve();
  await Promise.all(rest);
});

test("a commit has at most 64 charges, and never splits a batch", async () => {
  const { queue, commits, nextTick } = createFixture();
  const all = Promise.all([of("a", 40), of("b", 24), of("c", 1), of("d", 64)].map(queue.submit));
  for (let index = 0; index < 3; index++) {
    await nextTick();
    commits[index]?.end.resolve();
  }
  await all;
  assert.deepEqual(
    commits.map(({ batches }) => batches.map(({ instance }) => instance)),
    [["a", "b"], ["c"], ["d"]],
  );
});

test("a batch that fails its commit does not fail the others", async () => {
  const tried: string[][] = [];
  const queue = createCommitQueue({
    ledger: {
      applyBatches(batches) {
        tried.push(batches.map(({ instance }) => instance));
        if (batches.some(({ instance }) => instance === "bad")) return Promise.reject(new Error("no"));
        return Promise.resolve(batches.map(() => null));
      },
    },
    context: () => ({ now: 0, newId: (prefix) => prefix, issuer: "", kid: "", revenue: "" }),
  });
  const ends = await Promise.allSettled(["a", "bad", "c"].map((name) => queue.submit(of(name, 1))));
  assert.deepEqual(
    ends.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(tried, [["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
});

test("rejects batches above the queue limit immediately", async () => {
  const { queue, commits, nextTick } = createFixture();
  const all = Array.from({ length: 4_096 }, () => queue.submit(of("a", 0)));
  await assert.rejects(queue.submit(of("a", 0)), { code: "overloaded" });
  const ended = Promise.all(all);
  while (commits.length < 4_096 / 64) {
    await nextTick();
    commits.at(-1)?.end.resolve();
  }
  await ended;
  await queue.idle();
});
