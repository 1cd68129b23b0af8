/** Order of writes, and group commits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { array, assert as assertProperty, asyncProperty, constantFrom, nat, record } from "fast-check";
import { openConnection } from "../src/sqlite/connection.ts";
import { executeHere, type Executor } from "../src/sqlite/writer-client.ts";
import type { WriterRequest } from "../src/sqlite/writer-protocol.ts";
import { createWriteQueue, type WriteQueue } from "../src/sqlite/write-queue.ts";
import type { Statement } from "../src/statement.ts";

describe("the write queue", () => {
  test("concurrent writes share commits, at most 64 per commit", async () => {
    await using store = openStore();
    await Promise.all(Array.from({ length: 150 }, (_, n) => store.writeQueue.write(insertion(n))));

    assert.deepEqual(store.commits(), [64, 64, 22]);
  });

  test("concurrent transactions share a commit with the writes between them", async () => {
    await using store = openStore();
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        if (n % 2 === 0) return void (await store.writeQueue.write(insertion(n)));
        const transaction = await store.writeQueue.begin({ limitMs: 1_000 });
        await transaction.execute(insertion(n));
        await transaction.commit();
      }),
    );

    assert.deepEqual(store.commits(), [30]);
  });

  test("a transaction without a statement does not touch the disk", async () => {
    await using store = openStore();
    await (await store.writeQueue.begin({ limitMs: 1_000 })).commit();
    await (await store.writeQueue.begin({ limitMs: 1_000 })).rollback();

    assert.deepEqual(
      store.requests.map(({ kind }) => kind),
      ["flush", "flush"],
    );
  });

  test("no other write enters an open transaction", async () => {
    await using store = openStore();
    const transaction = await store.writeQueue.begin({ limitMs: 1_000 });
    await transaction.execute(insertion(1));
    const outside = store.writeQueue.write(insertion(2));
    await transaction.execute(insertion(3));
    await transaction.rollback();

    await outside;
    assert.deepEqual(await store.stored(), [2]);
  });

  test("acknowledges no write before its commit, and a failed commit rejects the whole group", async () => {
    const failure = { message: "disk I/O error", errcode: 10, stack: null };
    await using store = openStore((request, perform) =>
      commitsGroup(request) ? Promise.resolve({ ok: false, error: failure }) : perform(),
    );
    const transaction = async (): Promise<void> => {
      const opened = await store.writeQueue.begin({ limitMs: 1_000 });
      await opened.execute(insertion(2));
      await opened.commit();
    };
    const outcomes = await Promise.allSettled([
      store.writeQueue.write(insertion(1)),
      transaction(),
      store.writeQueue.write(insertion(3)),
    ]);

    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : "stored")),
      Array.from({ length: 3 }, () => "SqliteError: disk I/O error"),
    );
  });

  test("a statement that ends the outer transaction rejects its whole group, and the next group works", async () => {
    await using store = openStore();
    await store.writeQueue.write(insertion(1));
    const outcomes = await Promise.allSettled([
      store.writeQueue.write(insertion(2)),
      store.writeQueue.write({ sql: "insert or rollback into t (x) values (1)", parameters: [] }),
      store.writeQueue.write(insertion(3)),
    ]);
    await store.writeQueue.write(insertion(4));

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.deepEqual(await store.stored(), [1, 4]);
  });

  test("rolls back a transaction that exceeds its time limit, and continues with the queue", async () => {
    await using store = openStore();
    const transaction = await store.writeQueue.begin({ limitMs: 20 });
    await transaction.execute(insertion(1));
    await store.writeQueue.write(insertion(2));

    await assert.rejects(transaction.execute(insertion(3)), { code: "timeout" });
    await assert.rejects(transaction.commit(), { code: "timeout" });
    await transaction.rollback();
    assert.deepEqual(await store.stored(), [2]);
  });

  test("rejects writes beyond the queue limit, and says why", async () => {
    const gate = Promise.withResolvers<void>();
    await using store = openStore(async (_request, perform) => {
      await gate.promise;
      return await perform();
    });
    const writes = Array.from({ length: 20_100 }, (_, n) => store.writeQueue.write(insertion(n)));
    const last = writes.at(-1);
    await assert.rejects(last ?? Promise.resolve(), { code: "overloaded" });
    gate.resolve();
    const outcomes = await Promise.allSettled(writes);

    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, (await store.stored()).length);
  });

  test("finishes accepted writes before closing, and rejects later ones", async () => {
    await using store = openStore();
    const before = store.writeQueue.write(insertion(1));
    const closing = store.writeQueue.close();

    await assert.rejects(store.writeQueue.write(insertion(2)), { code: "closed" });
    await closing;
    assert.equal((await before).changes, 1);
  });

  test("in any mix of writes, acknowledged ones are stored and rejected ones are not", async () => {
    const job = record({
      number: nat({ max: 30 }),
      kind: constantFrom("write", "commit", "rollback", "idle"),
      lateBy: nat({ max: 3 }),
    });
    await assertProperty(
      asyncProperty(array(job, { maxLength: 120 }), async (jobs) => {
        await using store = openStore();
        const expected = new Set<number>();
        await Promise.all(
          jobs.map(async ({ number, kind, lateBy }) => {
            for (let tick = 0; tick < lateBy; tick += 1) await Promise.resolve();
            const stored =
              kind === "write"
                ? await settled(store.writeQueue.write(insertion(number)))
                : await inTransaction(store.writeQueue, { number, kind });
            if (stored) {
              assert.ok(!expected.has(number), "each number is stored once");
              expected.add(number);
            }
          }),
        );
        assert.deepEqual(
          await store.stored(),
          [...expected].sort((one, other) => one - other),
        );
      }),
      { seed: 20_261_121, numRuns: 150 },
    );
  });
});

async function inTransaction(
  writeQueue: WriteQueue,
  { number, kind }: { number: number; kind: string },
): Promise<boolean> {
  const transaction = await writeQueue.begin({ limitMs: 5_000 });
  if (kind === "idle") return await transaction.commit().then(() => false);

  const inserted = await settled(transaction.execute(insertion(number)));
  if (kind === "commit" && inserted) return await settled(transaction.commit());
  await transaction.rollback();
  return false;
}

function settled(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function insertion(n: number): Statement {
  return { sql: "insert into t (x) values (?)", parameters: [n] };
}

function commitsGroup(request: WriterRequest): boolean {
  return request.kind === "flush" || (request.kind === "jobs" && request.isLast);
}

type Between = (
  request: WriterRequest,
  perform: () => ReturnType<Executor["perform"]>,
) => ReturnType<Executor["perform"]>;

/** A write queue over an in-memory store that records its messages. */
function openStore(between: Between = (_request, perform) => perform()) {
  const connection = openConnection(":memory:", "memory");
  connection.run({ sql: "create table t (x integer primary key) strict", parameters: [], script: true });
  const executor = executeHere(connection);
  const requests: WriterRequest[] = [];
  const writeQueue = createWriteQueue({
    perform(request) {
      requests.push(request);
      return between(request, () => executor.perform(request));
    },
    close: () => executor.close(),
  });
  return {
    writeQueue,
    requests,
    /** Number of jobs and statements per commit. */
    commits(): number[] {
      const commits: number[] = [];
      let jobs = 0;
      for (const request of requests) {
        if (request.kind === "jobs") jobs += request.jobs.length;
        if (request.kind === "execute") jobs += 1;
        if (!commitsGroup(request)) continue;
        commits.push(jobs);
        jobs = 0;
      }
      return commits;
    },
    async stored(): Promise<unknown[]> {
      const { rows } = await writeQueue.write({ sql: "select x from t order by x", parameters: [] });
      return rows.map(({ x }) => x);
    },
    [Symbol.asyncDispose]: () => writeQueue.close(),
  };
}
