import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

/** Processes of the machine whose arguments contain this text. */
function processesWith(marker: string): readonly string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(marker);
    } catch {
      return false;
    }
  });
}

/** The kernel kills them with the first process of their namespace; a busy machine takes a moment for it. */
async function noneWith(marker: string): Promise<void> {
  while (processesWith(marker).length > 0) await setImmediate();
}

const node = (program: string) => `"${process.execPath}" -e '${program}'`;

test("kills a fork bomb completely", inSandbox, async () => {
  await using sandbox = await openSandbox({ limits: { processes: 60 } });
  const marker = `sleep 6${process.pid}`;
  // Bounded, because other users share this machine.
  const { end, output } = await sandbox.run(
    `n=0; while [ $n -lt 500 ]; do ${marker} & n=$((n + 1)); done; sleep 2; exit 5`,
  );
  // The kernel limits an ordinary user's forks; the worker counts and ends those of root.
  const isRefused = /cannot fork/i.test(output);
  assert.ok(isRefused || sandbox.broken[0]?.code === "policy_violation", JSON.stringify(end));
  await noneWith(marker);
});

test("kills background processes with their command", inSandbox, async () => {
  await using sandbox = await openSandbox();
  const marker = `sleep 7${process.pid}`;
  const { end } = await sandbox.run(`setsid ${marker} > /dev/null 2>&1 < /dev/null & exit 0`);
  assert.deepEqual(end, { kind: "exited", code: 0 });
  await noneWith(marker);
});

test("limits the disk of a run: the kernel truncates a large file, and many files end the run", inSandbox, async () => {
  await using limited = await openSandbox({ limits: { diskMb: 8 } });
  const large = await limited.run("head -c 9000000 /dev/zero > large; stat -c %s large");
  assert.match(large.output, /^8388608$/m);

  await using many = await openSandbox({ limits: { diskMb: 8 } });
  // The files are in an unreadable folder, whose size counts nevertheless.
  await many.run(
    "mkdir deep; cd deep; for n in 1 2 3 4 5 6; do head -c 2000000 /dev/zero > $n; done; cd ..; chmod 000 deep; sleep 30",
  );
  assert.equal(many.broken[0]?.code, "policy_violation");
  assert.match(many.broken[0]?.message, /disk limit of 8 MiB exceeded/);
});

test("limits the memory of all processes together, including temporary folders", inSandbox, async () => {
  await using sandbox = await openSandbox({ limits: { memoryMb: 128 } });
  const hold = node("const held = Buffer.alloc(50_000_000, 1); setTimeout(() => held, 30_000)");
  await sandbox.run(`${hold} & ${hold} & ${hold} & wait`);
  assert.equal(sandbox.broken[0]?.code, "policy_violation");

  await using small = await openSandbox({ limits: { memoryMb: 128 } });
  const { output } = await small.run(
    "for at in /tmp /dev/shm; do head -c 40000000 /dev/zero > $at/large; stat -c %s $at/large; done",
  );
  assert.deepEqual(output.match(/^\d+$/gm), ["33554432", "33554432"]);
});

test(
  "lets only agents write to the tree, not readers, and gives agents a copy of setup's home",
  inSandbox,
  async () => {
    await using sandbox = await openSandbox();
    await sandbox.run(
      "echo kept > $HOME/kept; mkdir $HOME/closed; echo x > $HOME/closed/file; chmod 500 $HOME/closed",
      {
        purpose: "setup",
      },
    );
    const agent = await sandbox.run("cat $HOME/kept; echo changed > $HOME/kept; echo new > new");
    assert.equal(agent.output, "kept\n");
    const reader = await sandbox.run("cat new; echo changed > new || touch other || rm new || chmod 700 new", {
      purpose: "reader",
    });
    assert.match(reader.output, /^new\n/);
    assert.ok(reader.end.kind === "exited" && reader.end.code !== 0);
    const check = await sandbox.run("cat $HOME/kept new; ls", { purpose: "check" });
    assert.equal(check.output, "kept\nnew\nnew\n");
    assert.deepEqual(readdirSync(sandbox.folders.temporary), []);
  },
);

test("reports a command that cannot start, and passes on exit codes", inSandbox, async () => {
  await using sandbox = await openSandbox();
  const launch = sandbox.factory.launcher("check");
  const spec = {
    argv: ["no-such-program"],
    cwd: sandbox.folders.tree,
    environment: { PATH: "/usr/bin:/bin", HOME: sandbox.folders.home },
    limits: { timeoutMs: 60_000, outputBytes: 1000 },
    signal: new AbortController().signal,
  };
  const end = await launch(spec);
  assert.ok(end.kind === "not_started" && end.reason.includes("no-such-program"), JSON.stringify(end));
  assert.deepEqual(await launch({ ...spec, argv: ["/bin/sh", "-c", "exit 7"] }), { kind: "exited", code: 7 });
  const killed = await launch({ ...spec, argv: ["/bin/sh", "-c", "kill -9 $$"] });
  assert.deepEqual(killed, { kind: "exited", code: 137 });
  const nowhere = await launch({ ...spec, cwd: "/nowhere" });
  assert.ok(nowhere.kind === "not_started", JSON.stringify(nowhere));
});
