/** The router that a bench asks: its process, its address, and how much processor time it has used. */
import { fork } from "node:child_process";
import { once } from "node:events";

export interface BenchRouter extends AsyncDisposable {
  readonly url: string;
  /** Milliseconds of processor time so far, all threads. */
  cpuMs(): Promise<number>;
}

export async function startRouter(data: string): Promise<BenchRouter> {
  // It logs as it would, a line a request, to nowhere.
  const child = fork(new URL("./router-process.ts", import.meta.url), {
    env: { PATH: process.env["PATH"], TRIPTYCH_DATA: data, ROUTER_PORT: "0" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const [said]: unknown[] = await Promise.race([once(child, "message"), ended]);
  if (typeof said !== "string") throw new Error(`the router ended before it listened: ${String(said)}`);
  return {
    url: said,
    async cpuMs() {
      const told = once(child, "message");
      child.send("cpu");
      const [used]: unknown[] = await told;
      // The other side sends what `process.cpuUsage` gives.
      const { user, system } = used as NodeJS.CpuUsage;
      return (user + system) / 1000;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
