import type { SpawnRequest } from "../../src/index.ts";

/** Bash exists on every machine with git. */
export function shell(script: string, options: Partial<SpawnRequest> = {}): SpawnRequest {
  const environment = { PATH: process.env["PATH"] ?? "" };
  const bounds = { timeoutMs: 60_000, outputBytes: 1 << 20 };
  return { program: "bash", args: ["--norc", "-c", script], folder: "/", environment, ...bounds, ...options };
}
