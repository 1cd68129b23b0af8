/**
 * A rail that exits like `kill -9` just before it responds to its N-th POST (first argument): the call is completely
 * committed, but no client knows it.
 */
import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";

const last = Number(process.argv[2]);
let answers = 0;

subscribe("http.server.request.start", (message) => {
  const { request, response } = Object(message);
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse) || request.method !== "POST")
    return;
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...head: unknown[]) => {
    if (++answers === last) process.kill(process.pid, "SIGKILL");
    return Reflect.apply(writeHead, response, head);
  };
});

await import("./serve.ts");
