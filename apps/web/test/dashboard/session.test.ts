import assert from "node:assert/strict";
import { test } from "node:test";
import { noteRefused, session } from "../../dashboard/src/api/session.ts";

test("a late 401 from before a sign-in does not expire the new session", () => {
  const before = session.get();
  session.set({ kind: "in", accountId: "acc_1" });
  noteRefused(before);
  assert.equal(session.get().kind, "in");
});

test("a 401 expires the session that its request was sent in", () => {
  session.set({ kind: "in", accountId: "acc_1" });
  noteRefused(session.get());
  assert.deepEqual(session.get(), { kind: "expired", accountId: "acc_1" });
});
