import type { Order } from "../../src/index.ts";

/** Bash is on every machine that has git, and says what it sees. */
export function shell(script: string, wish: Partial<Order> = {}): Order {
  const environment = { PATH: process.env["PATH"] ?? "" };
  const bounds = { timeoutMs: 60_000, outputBytes: 1 << 20 };
  return { program: "bash", words: ["--norc", "-c", script], folder: "/", environment, ...bounds, ...wish };
}
