import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createWorktrees } from "../../src/enclosure/worktree.ts";
import { ESCAPES } from "./escapes.ts";
import { inSandbox, openSandbox, type TestSandbox } from "./open-sandbox.ts";

interface Host extends AsyncDisposable {
  readonly outside: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly isSleeping: () => boolean;
}

const PTRACE = process.arch === "arm64" ? "117" : "101";

/** What there is on a machine besides the sandbox, and would be worth getting at. */
async function openHost(): Promise<Host> {
  const outside = mkdtempSync(join(tmpdir(), "outside-"));
  writeFileSync(join(outside, "secret"), "a secret of the host\n");
  const abstract = `triptych-test-${process.pid}`;
  const servers = [createServer((socket) => socket.end()), createServer(), createServer()];
  servers[0].listen(0, "127.0.0.1");
  servers[1].listen({ path: `\0${abstract}` });
  servers[2].listen({ path: join(outside, "socket") });
  await Promise.all(servers.map((server) => once(server, "listening")));
  const echo = createSocket("udp4", (message, { port, address }) => echo.send(message, port, address));
  await new Promise<void>((resolve) => echo.bind(0, "127.0.0.1", resolve));
  const open = openSync(join(outside, "secret"), "r");
  const sleeper = spawn("sleep", ["600"], {
    env: { PLANTED_TOKEN: "planted-in-an-environment" },
    stdio: [open, "ignore", "ignore"],
  });
  await once(sleeper, "spawn");
  const bound = servers[0].address() as AddressInfo;
  return {
    outside,
    environment: {
      NODE: process.execPath,
      OUTSIDE: outside,
      PORT: String(bound.port),
      UDP_PORT: String(echo.address().port),
      ABSTRACT: abstract,
      SLEEPER: String(sleeper.pid),
      PTRACE,
    },
    isSleeping: () => sleeper.exitCode === null && sleeper.signalCode === null,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      echo.close();
      sleeper.kill("SIGKILL");
      closeSync(open);
      rmSync(outside, { recursive: true });
    },
  };
}

/** The run's folders as they are when an agent begins. */
function furnish({ place }: TestSandbox): Readonly<Record<string, string>> {
  mkdirSync(place.gitFolder, { recursive: true });
  writeFileSync(join(place.gitFolder, "config"), "[core]\n");
  writeFileSync(join(place.tree, "..", "beside"), "of another\n");
  return { GIT: place.gitFolder, NOTES: place.notes };
}

test(`${ESCAPES.length} ways out of the sandbox are closed`, inSandbox, async (t) => {
  await using host = await openHost();
  await using sandbox = await openSandbox();
  await using open = await openSandbox({ enclosures: (access) => createWorktrees("worktree", access) });
  const corePattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
  const inside = { ...host.environment, ...furnish(sandbox) };
  const beside = { ...host.environment, ...furnish(open) };

  for (const { what, script, isOpenOutside } of ESCAPES)
    await t.test(what, async () => {
      const { end, said } = await sandbox.run(script, { environment: inside });
      assert.ok(end.kind === "exited" && end.code !== 127, `${JSON.stringify(end)} ${said}`);
      assert.notEqual(end.code, 0, said);
      if (isOpenOutside !== true) return;
      const outside = await open.run(script, { environment: beside });
      assert.deepEqual(outside.end, { kind: "exited", code: 0 }, outside.said);
      rmSync(join(host.outside, "written"), { force: true });
    });

  assert.deepEqual(readdirSync(host.outside).sort(), ["secret", "socket"]);
  assert.deepEqual(readdirSync(sandbox.place.gitFolder), ["config"]);
  assert.deepEqual(readdirSync(sandbox.place.notes), []);
  assert.equal(readFileSync(join(sandbox.place.gitFolder, "config"), "utf8"), "[core]\n");
  assert.equal(readFileSync("/proc/sys/kernel/core_pattern", "utf8"), corePattern);
  assert.ok(host.isSleeping());
});
