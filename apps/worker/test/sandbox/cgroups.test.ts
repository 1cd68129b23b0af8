import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findControlGroups, type GroupView } from "../../src/sandbox/cgroups.ts";
import { detectIsolation } from "../../src/sandbox/isolation.ts";
import { inSandbox, machine, openSandbox } from "./open-sandbox.ts";

const USER = process.getuid?.() ?? -1;

/** Kernel files for a worker that is alone in the root group of its container. */
function kernel({ controllers = "cpu memory pids", members = [7, 8], leftOver = false } = {}) {
  const root = mkdtempSync(join(tmpdir(), "groups-"));
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  write("cgroup.controllers", `${controllers}\n`);
  write("cgroup.procs", members.map((id) => `${id}\n`).join(""));
  if (leftOver) for (const id of [0, process.pid]) mkdirSync(join(root, `triptych-run-${id}-before`));
  const view: GroupView = { root, own: "1:name=systemd:/x\n0::/\n", user: USER, line: [8, 7, 1] };
  const read = (name: string) => readFileSync(join(root, name), "utf8");
  const runs = () => readdirSync(root).filter((name) => name.startsWith("triptych-run-"));
  return { root, view, write, read, runs, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

const why = async (view: GroupView) => {
  const found = await findControlGroups(view);
  return "why" in found ? found.why : null;
};

test("reports why a machine's groups are not delegated, and changes nothing", async () => {
  using mine = kernel();
  assert.equal(await why(mine.view), null);
  assert.match((await why({ ...mine.view, root: "/nowhere" })) ?? "", /does not use control groups version 2 only/);
  assert.match(
    (await why({ ...mine.view, own: "4:memory:/x\n8:pids:/\n" })) ?? "",
    /does not use control groups version 2 only/,
  );
  assert.match(
    (await why({ ...mine.view, user: USER + 1 })) ?? "",
    /is not delegated: start it from a unit with `Delegate/,
  );
  assert.match((await why({ ...mine.view, own: "0::/gone\n" })) ?? "", /cannot be read/);
  assert.match((await why({ ...mine.view, line: [8] })) ?? "", /contains other processes/);
  using small = kernel({ controllers: "cpu" });
  assert.match((await why(small.view)) ?? "", /lacks the controller memory and pids/);
  assert.deepEqual(readdirSync(mine.root), ["cgroup.controllers", "cgroup.procs"]);
});

test("moves the worker into a subgroup, and gives each run another one with its limits", async () => {
  using mine = kernel({ leftOver: true });
  const groups = await findControlGroups(mine.view);
  assert.ok("open" in groups);
  await using group = await groups.open({ memoryMb: 128, processes: 60 });
  assert.equal(mine.read("triptych-worker/cgroup.procs"), "8");
  assert.equal(mine.read("cgroup.subtree_control"), "+memory +pids");
  const [run] = mine.runs().filter((name) => !name.endsWith("-before"));
  const settings = ["memory.max", "memory.swap.max", "memory.oom.group", "pids.max"];
  assert.deepEqual(
    settings.map((name) => mine.read(`${run}/${name}`)),
    ["134217728", "0", "1", "60"],
  );
  // Groups of a dead worker are killed, those of a living one are not.
  assert.equal(mine.read("triptych-run-0-before/cgroup.kill"), "1");
  assert.deepEqual(readdirSync(join(mine.root, `triptych-run-${process.pid}-before`)), []);
  assert.equal(group?.reached(), null);
  mine.write(`${run}/pids.events`, "max 0\n");
  mine.write(`${run}/memory.events`, "low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\n");
  assert.equal(group?.reached(), null);
  mine.write(`${run}/pids.events`, "max 3\n");
  assert.equal(group?.reached(), "processes");
  mine.write(`${run}/memory.events`, "oom_kill 1\n");
  assert.equal(group?.reached(), "memory");
  await using lifted = await groups.open({ memoryMb: null, processes: null });
  assert.equal(lifted?.reached(), null);
  assert.ok(mine.runs().some((name) => !existsSync(join(mine.root, name, "pids.max")) && !name.endsWith("before")));
});

test("falls back to the resource monitor when the kernel refuses a group", async () => {
  using mine = kernel();
  mine.write("triptych-worker", "no folder");
  const groups = await findControlGroups(mine.view);
  assert.ok("open" in groups);
  assert.equal(await groups.open({ memoryMb: 1, processes: 1 }), null);
});

test(
  "what a sandbox starts enters the run's group first; what the kernel ended there ends the run as any limit does",
  inSandbox,
  async () => {
    using mine = kernel();
    const { samplingReason, sandboxes } = await detectIsolation("auto", machine, () => mine.view);
    assert.equal(samplingReason, null);
    await using sandbox = await openSandbox({ sandboxes, limits: { memoryMb: 4096, processes: 900 } });
    const [run] = mine.runs();
    assert.deepEqual((await sandbox.run("exit 7")).end, { kind: "exited", code: 7 });
    assert.match(mine.read(`${run}/cgroup.procs`), /^\d+\n$/);
    assert.equal(sandbox.broken.length, 0);
    mine.write(`${run}/memory.events`, "oom_kill 1\n");
    await sandbox.run("exit 137");
    const [error] = sandbox.broken;
    assert.deepEqual([error?.code, error?.message], ["policy_violation", "memory limit of 4096 MiB exceeded"]);
  },
);
