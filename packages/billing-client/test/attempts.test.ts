import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createAttempts, type AttemptEnd, type AttemptReport } from "../src/attempts.ts";

test("`through` covers only finished attempts; deliveries above it are acknowledged one by one", () => {
  const attempts = createAttempts();
  for (let count = 0; count < 4; count++) attempts.begin();
  attempts.finish(1, "delivered");
  attempts.finish(3, "delivered");
  attempts.finish(4, "client_gone");
  const expected = { through: 1, also: [3], voids: [{ seq: 4, reason: "client_gone" }] };
  assert.deepEqual(attempts.report(), expected);
  assert.deepEqual(attempts.report(), expected, "a report is repeated until it is confirmed");
  attempts.confirm(attempts.report());
  assert.deepEqual(attempts.report(), { through: 1, also: [], voids: [] });
  attempts.finish(2, "delivered");
  assert.deepEqual(attempts.report(), { through: 4, also: [], voids: [] });
});

/** A rail's view of reports in any order: a void takes precedence over a watermark of the same report. */
function createReceiver() {
  const received = new Map<number, "delivered" | "void">();
  return {
    received,
    receive({ through, also, voids }: AttemptReport, sent: number): void {
      for (const { seq } of voids) if (!received.has(seq)) received.set(seq, "void");
      for (let seq = 1; seq <= Math.min(through, sent); seq++) if (!received.has(seq)) received.set(seq, "delivered");
      for (const seq of also) if (!received.has(seq)) received.set(seq, "delivered");
    },
  };
}

test("the rail learns the correct end of every attempt, even if reports are lost, late or duplicated", () => {
  const action = fc.oneof(
    fc.constant({ kind: "begin" } as const),
    fc.record({ kind: fc.constant("finish" as const), which: fc.nat(), isDelivered: fc.boolean() }),
    fc.record({ kind: fc.constant("report" as const), fate: fc.constantFrom("heard", "answer_lost", "lost", "late") }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const attempts = createAttempts();
      const { received, receive } = createReceiver();
      const open: number[] = [];
      const ends = new Map<number, AttemptEnd>();
      const late: { report: AttemptReport; sent: number }[] = [];
      let sent = 0;
      const report = (fate: string) => {
        const report = attempts.report();
        if (fate === "heard" || fate === "answer_lost") receive(report, sent);
        if (fate === "late") late.push({ report, sent });
        if (fate === "heard") attempts.confirm(report);
      };
      const finish = (seq: number, end: AttemptEnd) => {
        attempts.finish(seq, end);
        ends.set(seq, end);
      };
      for (const step of actions) {
        if (step.kind === "begin") open.push((sent = attempts.begin()));
        if (step.kind === "report") report(step.fate);
        const [seq] = step.kind === "finish" && open.length > 0 ? open.splice(step.which % open.length, 1) : [];
        if (step.kind === "finish" && seq !== undefined) finish(seq, step.isDelivered ? "delivered" : "client_gone");
      }
      for (const entry of late) receive(entry.report, entry.sent);
      for (const seq of open) assert.ok(!received.has(seq), `${seq} is open but was reported as finished`);
      for (const seq of open) finish(seq, "delivered");
      report("heard");
      assert.equal(attempts.size, 0);
      for (const [seq, end] of ends) assert.equal(received.get(seq), end === "delivered" ? "delivered" : "void");
    }),
    { seed: 7, numRuns: 500 },
  );
});
