import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as holds, constantFrom, integer, nat, property, tuple } from "fast-check";
import type { BusMessage } from "@triptych/contracts";
import { createSharing } from "../../dashboard/src/run-events/structural-sharing.ts";
import { createBusLog } from "../../dashboard/src/run-events/bus-log.ts";
import { FOLD_ROWS_MAX, isFailure, lanesOf, stepsOf } from "../../dashboard/src/run-events/rows.ts";
import {
  BLOCK_ROWS,
  createVirtualBlocks,
  type Block,
  type VirtualBlockList,
} from "../../dashboard/src/run-events/virtual-blocks.ts";

function createMessage(
  seq: number,
  about: Partial<BusMessage> & { readonly role?: BusMessage["from"]["role"] } = {},
): BusMessage {
  const { role = "coder", ...rest } = about;
  return {
    seq,
    run_id: "run_1",
    epoch: 1,
    at: new Date(seq * 1_000).toISOString(),
    from: { role, agent: null, cli: null, model: null },
    to: "all",
    kind: "message",
    text: `line ${seq}`,
    data: {},
    reply_to: null,
    round: 1,
    ...rest,
  };
}

test("keeps each message once and in order even if the stream reconnects often", () => {
  const breaks = array(nat({ max: 20 }), { maxLength: 60 });
  holds(
    property(integer({ min: 1, max: 80 }), breaks, (count, steps) => {
      const log = createBusLog();
      const received: number[] = [];
      const take = (seq: number) => log.add(createMessage(seq)) === "new" && received.push(seq);
      let at = 1;
      for (const back of [...steps, 0]) {
        // A reconnect replays from a known message or earlier.
        at = Math.max(1, log.lastSeq + 1 - back);
        for (let seq = at; seq < at + 12 && seq <= count; seq++) take(seq);
      }
      for (let seq = log.lastSeq + 1; seq <= count; seq++) take(seq);
      assert.deepEqual(
        received,
        Array.from({ length: count }, (_, index) => index + 1),
      );
    }),
  );
});

test("rejects a message after a hole, but accepts a gap for dropped messages", () => {
  const log = createBusLog();
  assert.equal(log.add(createMessage(3)), "hole");
  assert.equal(log.add(createMessage(7, { kind: "gap" })), "new");
  assert.equal(log.add(createMessage(7)), "known");
  assert.equal(log.add(createMessage(8)), "new");
  assert.equal(log.lastSeq, 8);
});

const rowsOf = ({ blocks }: VirtualBlockList) => blocks.flatMap(({ rows }) => rows);
const lines = array(
  tuple(
    constantFrom("message" as const, "tool_call" as const, "tool_result" as const, "error" as const),
    constantFrom("coder" as const, "reviewer" as const),
  ),
  { maxLength: 300 },
);

test("folds consecutive tool calls of a lane into one row and keeps every message in order", () => {
  holds(
    property(lines, (spoken) => {
      const messages = spoken.map(([kind, role], index) => createMessage(index + 1, { kind, role }));
      const virtualBlocks = createVirtualBlocks();
      for (const message of messages) virtualBlocks.add(message);
      const rows = rowsOf(virtualBlocks.all);
      assert.deepEqual(
        rows.flatMap((row) => row.messages),
        messages,
      );
      for (const [index, row] of rows.entries()) {
        const before = rows[index - 1];
        if (row.isFold && before?.isFold)
          assert.ok(before.role !== row.role || before.messages.length === FOLD_ROWS_MAX);
      }
    }),
  );
});

test("fills all blocks but the last, counts the rows of each list and indexes its errors", () => {
  holds(
    property(lines, (spoken) => {
      const virtualBlocks = createVirtualBlocks();
      for (const [index, [kind, role]] of spoken.entries()) virtualBlocks.add(createMessage(index + 1, { kind, role }));
      const all = rowsOf(virtualBlocks.all);
      for (const [blockList, expected] of [
        [virtualBlocks.all, all],
        ...virtualBlocks.lanes.map(
          (lane) => [virtualBlocks.of(lane), all.filter(({ role }) => role === lane)] as const,
        ),
      ] as const) {
        assert.deepEqual(rowsOf(blockList), expected);
        assert.equal(blockList.count, expected.length);
        assert.ok(blockList.blocks.slice(0, -1).every(({ rows }) => rows.length === BLOCK_ROWS));
        assert.deepEqual(
          blockList.errors,
          expected.flatMap(({ isError }, index) => (isError ? [index] : [])),
        );
      }
    }),
  );
});

test("never changes a full block, and replaces a changed one with a new object", () => {
  const virtualBlocks = createVirtualBlocks();
  const seen = new Map<Block, number>();
  for (let seq = 1; seq <= 5 * BLOCK_ROWS; seq++) {
    const last = virtualBlocks.all.blocks.at(-1);
    virtualBlocks.add(createMessage(seq, { kind: seq % 3 === 0 ? "tool_call" : "message" }));
    for (const block of virtualBlocks.all.blocks) seen.set(block, seen.get(block) ?? block.rows.length);
    assert.notEqual(virtualBlocks.all.blocks.at(-1), last);
  }
  for (const [block, rows] of seen) assert.equal(block.rows.length, rows);
  assert.equal(new Set(virtualBlocks.all.blocks.map(({ key }) => key)).size, virtualBlocks.all.blocks.length);
});

test("counts only errors after the first change", () => {
  const verify = (round: number, exit_code: number) =>
    isFailure(createMessage(1, { kind: "verify", round, data: { exit_code } }));
  assert.deepEqual([verify(0, 1), verify(1, 1), verify(1, 0)], [false, true, false]);
  assert.ok(isFailure(createMessage(1, { kind: "error" })));
  assert.ok(isFailure(createMessage(1, { kind: "verdict", data: { verdict: "baseline_broken" } })));
  assert.ok(!isFailure(createMessage(1, { kind: "verdict", data: { verdict: "passed" } })));
});

test("sorts lanes independently of who wrote first", () => {
  assert.deepEqual(lanesOf(["coder", "panel", "reviewer", "worker", "panel"]), [
    "panel",
    "worker",
    "coder",
    "reviewer",
  ]);
});

test("measures each state until the next one, the last until now, and a final state not at all", () => {
  const states = ["queued", "leased", "running"].map((state, index) =>
    createMessage(index * 2 + 1, { kind: "state", data: { state } }),
  );
  assert.deepEqual(
    stepsOf(states, false).map(({ state, ms }) => [state, ms]),
    [
      ["queued", 2_000],
      ["leased", 2_000],
      ["running", null],
    ],
  );
  assert.equal(stepsOf(states, true).at(-1)?.ms, 0);
});

test("shares equal parts of messages without changing their content", () => {
  const shared = createSharing();
  const messages = [
    createMessage(1),
    createMessage(2),
    createMessage(3, { role: "worker" }),
    createMessage(4, { data: { exit_code: 1 } }),
    createMessage(5, { run_id: "run_2" }),
    createMessage(6),
  ];
  const sharedMessages = messages.map((message) => shared(structuredClone(message)));
  assert.deepEqual(sharedMessages, messages);
  assert.equal(sharedMessages[0]?.from, sharedMessages[1]?.from);
  assert.equal(sharedMessages[0]?.data, sharedMessages[2]?.data);
});
