import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runProgram } from "../src/index.ts";
import { shell } from "./support/shell.ts";

test("returns the output bytes, exit code and standard error of a program", async () => {
  const ended = await runProgram(shell(String.raw`printf '\x00\xff\n'; echo 'no such thing' >&2; exit 3`));
  assert.deepEqual(ended, { how: "exited", code: 3, printed: Buffer.from([0, 255, 10]), stderr: "no such thing\n" });
  assert.ok(Buffer.isBuffer(ended.printed));
});

test("passes text or bytes as input, even if the program does not read it", async () => {
  const big = Buffer.alloc(3_000_000, "é");
  const orders = [
    shell("cat", { input: "é\n" }),
    shell("cat", { input: big, outputBytes: big.length }),
    shell("exit 0", { input: big }),
  ];
  const [short, bytes, unread] = await Promise.all(orders.map((request) => runProgram(request)));
  assert.equal(short?.printed.toString("utf8"), "é\n");
  assert.ok(bytes?.printed.equals(big), "three million bytes went in and came out");
  assert.equal(unread?.how, "exited");
});

test("a program sees only the environment and folder of its request", async () => {
  const folder = realpathSync(tmpdir());
  const environment = { PATH: process.env["PATH"] ?? "", GIVEN: "yes" };
  const { printed } = await runProgram(shell("env; pwd", { folder, environment }));
  const lines = printed.toString("utf8").split("\n");
  for (const line of ["GIVEN=yes", folder]) assert.ok(lines.includes(line), line);
  assert.ok(!lines.some((line) => line.startsWith("HOME=")));
});

test("kills a program on timeout with its descendants, even outside its group", async () => {
  const ended = await runProgram(shell("echo begun; setsid sleep 5 & sleep 600", { timeoutMs: 300 }));
  assert.equal(ended.how, "cut");
  assert.equal(ended.how === "cut" && ended.why, "time");
});

test("kills a program that exceeds the output limit", async () => {
  const exactly = await runProgram(shell("printf 12345678", { outputBytes: 8 }));
  assert.deepEqual([exactly.how, exactly.printed.toString()], ["exited", "12345678"]);
  const endless = await runProgram(shell("yes", { outputBytes: 100_000 }));
  assert.equal(endless.how === "cut" && endless.why, "output");
  assert.ok(endless.printed.length <= 100_000);
});

test("returns the last 4,096 characters of standard error", async () => {
  const { stderr } = await runProgram(shell("yes | head -c 9000 >&2; echo the end >&2"));
  assert.equal(stderr.length, 4096);
  assert.ok(stderr.endsWith("the end\n"));
});

test("reports the signal that ended a program, and reports a program that could not start", async () => {
  const killed = await runProgram(shell("kill -TERM $$"));
  assert.equal(killed.how === "killed" && killed.signal, "SIGTERM");
  const missing = await runProgram({ ...shell(""), program: "no-such-program-anywhere" });
  assert.match(missing.how === "not_started" ? missing.why : "", /no-such-program-anywhere ENOENT/);
  const nowhere = await runProgram(shell("true", { folder: "/no/such/folder" }));
  assert.match(nowhere.how === "not_started" ? nowhere.why : "", /ENOENT/);
  const unfit = await runProgram(shell("true\0"));
  assert.match(unfit.how === "not_started" ? unfit.why : "", /null bytes/);
});

test("runs requests concurrently and returns the result of each", async () => {
  const numbers = Array.from({ length: 40 }, (_, number) => number);
  const all = await Promise.all(
    numbers.map((number) => runProgram(shell(`read line; echo $line-${number}`, { input: `${number}\n` }))),
  );
  assert.deepEqual(
    all.map(({ printed }) => printed.toString()),
    numbers.map((number) => `${number}-${number}\n`),
  );
});

test("reports a failure if the fork server is killed, and restarts it for the next request", async () => {
  const lost = await runProgram(shell("kill -KILL $PPID"));
  assert.match(lost.how === "not_started" ? lost.why : "", /has exited/);
  const next = await runProgram(shell("echo again"));
  assert.equal(next.printed.toString(), "again\n");
});

const CALLER = fileURLToPath(new URL("support/caller.ts", import.meta.url));

test("a caller without pending work exits, and the fork server exits with it", async () => {
  const caller = spawn(process.execPath, [CALLER, "echo done"], { stdio: ["ignore", "pipe", "pipe"] });
  // Both inherit the caller's standard error, which closes when both have exited.
  assert.deepEqual(await Promise.all([text(caller.stdout), text(caller.stderr), exitOf(caller)]), ["done\n", "", 0]);
});

test("neither a program nor the fork server inherits the caller's environment", async () => {
  const env = { ...process.env, PLANTED: "a secret of the caller" };
  const script = "env; tr '\\0' '\\n' < /proc/$PPID/environ; echo end";
  const caller = spawn(process.execPath, [CALLER, script], { env, stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(caller.stdout);
  assert.match(output, /^end$/m);
  assert.match(output, /^NODE_CHANNEL_FD=/m);
  assert.doesNotMatch(output, /PLANTED|a secret of the caller/);
});

test("when the caller is killed, the fork server and all its programs end", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  assert.ok(address !== null && typeof address !== "string");
  const script = `exec 3<>/dev/tcp/127.0.0.1/${address.port}; read -r line <&3`;
  const caller = spawn(process.execPath, [CALLER, script], { stdio: ["ignore", "ignore", "pipe"] });
  const [connection] = await once(listener, "connection");
  assert.ok(connection instanceof Socket);
  caller.kill("SIGKILL");
  await Promise.all([once(connection.resume(), "close"), text(caller.stderr)]);
  listener.close();
});

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, "exit");
  return code;
}

test("an abort stops a program with its descendants, and an already aborted signal prevents the start", async () => {
  const controller = new AbortController();
  const running = runProgram(shell("sleep 600 & sleep 600"), controller.signal);
  controller.abort();
  const before = runProgram(shell("sleep 600"), AbortSignal.abort());
  for (const ended of await Promise.all([running, before])) assert.equal(ended.how === "cut" && ended.why, "stopped");
  const untouched = await runProgram(shell("echo done"), new AbortController().signal);
  assert.equal(untouched.printed.toString(), "done\n");
});
