/**
 * Runs in a sandbox without a network: forwards a loopback port to the worker's Unix socket and starts the given command. Plain JavaScript
 * without imports, because it starts for every agent.
 */
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

const [socket, port, program, ...args] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (inner) => {
  const outer = connect({ path: socket, allowHalfOpen: true });
  inner.on("error", () => outer.destroy());
  outer.on("error", () => inner.destroy());
  inner.pipe(outer);
  outer.pipe(inner);
});

server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    process.stderr.write(`prlimit: failed to execute ${program}: ${error.message}\n`);
    process.exit(127);
  });
  child.once("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
});
