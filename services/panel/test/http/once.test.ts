import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { storeOn } from "../../src/store/open-store.ts";
import { openScene } from "../support/open-scene.ts";

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

test("a link signs in once and until it is over, and wrong ones are counted by address", async () => {
  await using scene = await openScene();
  const { account_id: owner } = scene.pro;
  const store = storeOn(scene.database);
  const link = (secret: string, expiresAt: number) =>
    store.change(owner, ({ account }) => account.addLink({ hash: hashOf(secret), expiresAt }));
  await link("good", Date.parse("2026-11-22T10:15:00Z"));
  await link("over", Date.parse("2026-11-22T09:59:00Z"));
  const once = (token: string) => scene.ask("POST", "/api/auth/once", { body: { token } });
  const entered = await once("good");
  assert.deepEqual([entered.statusCode, entered.json().account.email], [200, scene.pro.email], entered.body);
  const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
  assert.equal((await scene.ask("GET", "/api/auth/session", { headers: { cookie } })).statusCode, 200);
  assert.ok(!scene.lines.join("").includes("good"));
  const statuses: number[] = [];
  for (const token of ["good", "over", "wrong", "wrong", "wrong", "wrong"])
    statuses.push((await once(token)).statusCode);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  const late = await once("wrong");
  assert.match(late.json().detail, /within 15 minutes/);
  assert.equal(late.headers["retry-after"], "900");
  const empty = await scene.ask("POST", "/api/auth/once", { body: { tokn: "x" } });
  assert.deepEqual(
    empty
      .json()
      .errors.map(({ path }: { path: string }) => path)
      .toSorted(),
    ["/token", "/tokn"],
  );
});
