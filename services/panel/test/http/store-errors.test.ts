import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError, type StoreErrorCode } from "@triptych/storage";
import { createFixture } from "../support/create-fixture.ts";

test("answers a read-only store with 503 and Retry-After, never as an internal error", async () => {
  await using fixture = await createFixture();
  const body = { url: "https://git.example.org/a.git" };
  const faults: readonly StoreErrorCode[] = ["timeout", "overloaded", "crashed"];
  for (const error of faults) {
    Object.assign(fixture.store, { change: () => Promise.reject(new StoreError(error, "as under load")) });
    const answer = await fixture.ask("POST", "/api/repos", { token: fixture.pro.access_token, body });
    assert.equal(answer.statusCode, 503, error);
    assert.equal(answer.json<{ code: string }>().code, "store_unavailable");
    assert.equal(answer.headers["retry-after"], "1");
  }
});
