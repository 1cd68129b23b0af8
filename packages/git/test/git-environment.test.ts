import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { asEnvironment, HARDENED_GIT_ENV, QUIET_SETTINGS } from "@triptych/git";

test("git sees only our settings, with lists repeated", () => {
  const listed = { "transfer.hideRefs": ["refs", "!refs/heads/main"] };
  const env = { PATH: process.env["PATH"], ...HARDENED_GIT_ENV, ...asEnvironment({ ...QUIET_SETTINGS, ...listed }) };
  const has = execFileSync("git", ["config", "--list"], { cwd: "/", env, encoding: "utf8" }).trim().split("\n");
  const single = Object.entries(QUIET_SETTINGS).map(([key, value]) => `${key.toLowerCase()}=${String(value)}`);
  assert.deepEqual(has, [...single, "transfer.hiderefs=refs", "transfer.hiderefs=!refs/heads/main"]);
});
