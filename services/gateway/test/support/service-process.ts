/** A gateway, or a service behind it, that can be killed. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ask, type Asking, type Environment } from "./open-scene.ts";

const SERVE = fileURLToPath(new URL("../children/serve.ts", import.meta.url));

export async function startServiceProcess(service: "gateway" | "rail" | "router", environment: Environment) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(SERVE, [service], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text: Buffer) => (said += text.toString("utf8")));
  const ended = once(child, "exit");
  void ended.catch(() => {});
  const first: unknown[] = await Promise.race([once(child, "message"), ended]);
  const url = String(first[0]);
  if (!url.startsWith("http")) throw new Error(`it ended: ${said}`);
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url,
    ask: (path: string, asked: Asking = {}) => ask(url + path, asked),
    /** Everything it has written so far. */
    said: () => said,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
