/** The writer's thread: one connection, messages in, answers out, in order. Ends when told to, after what came before. */
import { parentPort, workerData } from "node:worker_threads";
import { BUSY_MS, openConnection, type Sync } from "./connection.ts";
import { type Answer, createWriterCore, type Step, toFault } from "./steps.ts";

if (parentPort === null) throw new Error("The writer's thread is started by the store, not by itself.");

const port = parentPort;
const { path, sync } = workerData as { readonly path: string; readonly sync: Sync };

try {
  const connection = openConnection(path, "writer", sync);
  const perform = createWriterCore(connection, { busyMs: BUSY_MS });

  port.on("message", (steps: readonly Step[] | null) => {
    if (steps !== null) return void perform(steps).then((answer) => port.postMessage(answer));

    connection.close();
    port.close();
  });
  port.postMessage({ ok: true, outcomes: [] } satisfies Answer);
} catch (error) {
  port.postMessage({ ok: false, fault: toFault(error) } satisfies Answer);
  port.close();
}
