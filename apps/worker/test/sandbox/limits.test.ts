import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

/** Processes of the machine whose words hold this. */
function processesWith(marker: string): readonly string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(marker);
    } catch {
      return false;
    }
  });
}

/** The kernel ends them all with the first of their namespace; a machine that is busy takes a moment for it. */
async function noneWith(marker: string): Promise<void> {
  while (processesWith(marker).length > 0) await setImmediate();
}

const node = (program: string) => `"${process.execPath}" -e '${program}'`;

test("processes without end are ended, and nothing of them is left", inSandbox, async () => {
  await using sandbox = await openSandbox({ limits: { processes: 60 } });
  const marker = `sleep 6${process.pid}`;
  // Of so many and no more: this machine is shared with whoever else runs here.
  const { end, output } = await sandbox.run(
    `n=0; while [ $n -lt 500 ]; do ${marker} & n=$((n + 1)); done; sleep 2; exit 5`,
  );
  // An ordinary user's forks fail in the kernel; those of root are counted and ended by the worker.
  const isRefused = /cannot fork/i.test(output);
  assert.ok(isRefused || sandbox.broken[0]?.code === "policy_violation", JSON.stringify(end));
  await noneWith(marker);
});

test("what is left running ends with the command that left it", inSandbox, async () => {
  await using sandbox = await openSandbox();
  const marker = `sleep 7${process.pid}`;
  const { end } = await sandbox.run(`setsid ${marker} > /dev/null 2>&1 < /dev/null & exit 0`);
  assert.deepEqual(end, { kind: "exited", code: 0 });
  await noneWith(marker);
});

test(
  "a full disk is the run's own: one large file is cut by the kernel, many files end the run",
  inSandbox,
  async () => {
    await using limited = await openSandbox({ limits: { diskMb: 8 } });
    const large = await limited.run("head -c 9000000 /dev/zero > large; stat -c %s large");
    assert.match(large.output, /^8388608$/m);

    await using many = await openSandbox({ limits: { diskMb: 8 } });
    // In a folder that is closed behind: it is summed all the same.
    await many.run(
      "mkdir deep; cd deep; for n in 1 2 3 4 5 6; do head -c 2000000 /dev/zero > $n; done; cd ..; chmod 000 deep; sleep 30",
    );
    assert.equal(many.broken[0]?.code, "policy_violation");
    assert.match(many.broken[0]?.message, /8 MiB of disk/);
  },
);

test("memory is bounded for all processes together, and temporary folders are a part of it", inSandbox, async () => {
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
  "a reader cannot write the tree, an agent can; setup's home is a copy for an agent, who cannot change it",
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

test("what cannot begin is said to be that, and how a command ended is passed on", inSandbox, async () => {
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
