/**
 * The rail, until it is about to answer its so many-th POST (the first argument): all that this call makes is committed, and nobody has
 * heard of it. There it dies at once, as by `kill -9`, with whatever else was under way.
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
