/** Targets on the host for escape attempts. */
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestSandbox } from "./open-sandbox.ts";

export interface Host extends AsyncDisposable {
  readonly outside: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly isSleeperRunning: () => boolean;
}

const PTRACE = process.arch === "arm64" ? "117" : "101";

export async function openHost(): Promise<Host> {
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
    isSleeperRunning: () => sleeper.exitCode === null && sleeper.signalCode === null,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      echo.close();
      sleeper.kill("SIGKILL");
      closeSync(open);
      rmSync(outside, { recursive: true });
    },
  };
}

/** Writes the files that a run's folders contain when the agent starts, and one file beside them. */
export function writeRunFiles({ folders }: TestSandbox): Readonly<Record<string, string>> {
  mkdirSync(folders.gitFolder, { recursive: true });
  writeFileSync(join(folders.gitFolder, "config"), "[core]\n");
  writeFileSync(join(folders.tree, "..", "beside"), "of another\n");
  return { GIT: folders.gitFolder, NOTES: folders.notes };
}
