/** A gateway, or the services behind it, in a process that a test can kill. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ask, type Asking, type Environment } from "./create-fixture.ts";

const SERVE = fileURLToPath(new URL("../children/serve.ts", import.meta.url));

type Service = "gateway" | "rail" | "router";

/** With several services in the process, `urls` follows the order of the names above. */
export async function startServiceProcess(services: readonly Service[], environment: Environment) {
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const child = fork(SERVE, services, {
    env: { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text: Buffer) => (output += text.toString("utf8")));
  const ended = once(child, "exit");
  void ended.catch(() => {});
  const [urls]: unknown[] = await Promise.race([once(child, "message"), ended]);
  if (!Array.isArray(urls)) throw new Error(`it ended: ${output}`);
  const [url, ...others] = urls.map(String);
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url,
    urls: [url, ...others],
    ask: (path: string, options: Asking = {}) => ask(url + path, options),
    /** Its output so far. */
    output: () => output,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
