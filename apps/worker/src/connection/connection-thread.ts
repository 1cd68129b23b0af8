/** Entry point of the connection's thread: see `connection-worker.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { keepConnected } from "./dial.ts";
import type { ConnectionEvent } from "./connection.ts";
import { systemClock } from "../run/clock.ts";
import type { FromThread, ThreadOptions, ToThread } from "./connection-worker.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run in a worker thread");
// `connection-worker.ts` creates these values.
const options = workerData as ThreadOptions;

let connection = 0;
const panel = keepConnected({ ...options, clock: systemClock, onEvent });

port.on("message", (message: ToThread) => {
  switch (message.kind) {
    case "send":
      // Drops messages for an earlier connection, because the panel does not expect them on this one.
      if (message.connection === connection) panel.send(message.text);
      break;
    case "status":
      panel.setStatus(message.status);
      break;
    case "key":
      panel.useKey(message.key);
      break;
    case "close":
      void panel.close().then(() => port.close());
  }
});

function onEvent(event: ConnectionEvent): void {
  if (event.kind === "frame" && event.frame.t === "welcome") connection++;
  const message: FromThread = { connection, event };
  port?.postMessage(message);
}
