import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { createLogger } from "@triptych/server";
import { Value } from "typebox/value";
import { RailConfig } from "../src/config.ts";
import { createSmtpMailer, type SmtpOptions } from "../src/smtp-mailer.ts";

/** A minimal mail server that rejects one recipient, defers another once, and never responds to a third. */
async function openMailServer() {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let isDeferred = false;
  const server = createServer((socket: Socket) => {
    sockets.add(socket);
    let inData = false;
    socket.write("220 test ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      received.push(text);
      if (inData) {
        if (text.endsWith("\r\n.\r\n")) {
          inData = false;
          socket.write("250 kept\r\n");
        }
        return;
      }
      const command = text.slice(0, 4).toUpperCase();
      if (command === "DATA") {
        inData = true;
        socket.write("354 go on\r\n");
      } else if (command === "QUIT") socket.end("221 bye\r\n");
      else if (text.includes("silence@")) return;
      else if (text.includes("later@") && !isDeferred) {
        isDeferred = true;
        socket.write("451 come again\r\n");
      } else if (text.includes("refused@")) socket.write(`550 no such box ${text}`);
      else socket.write("250 fine\r\n");
    });
    socket.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A mailer without retry delays, its log, and a promise of a log line that contains a text. */
async function openMailer(url: string, options: Partial<SmtpOptions> = {}) {
  const lines: string[] = [];
  const lineEvents = new EventEmitter();
  const destination = {
    write(line: string) {
      lines.push(line);
      lineEvents.emit("line");
    },
  };
  const logger = createLogger({ service: "rail", level: "info", destination });
  const mailer = await createSmtpMailer({ url, from: "rail@example.org", logger, pausesMs: [0, 0], ...options });
  const log = () => lines.join("");
  return {
    mailer,
    log,
    async until(text: string) {
      while (!log().includes(text)) await once(lineEvents, "line");
    },
  };
}

test("sends a mail unchanged, and logs a rejected one without its address", async () => {
  await using server = await openMailServer();
  const { mailer, log, until } = await openMailer(server.url);
  mailer.send({ to: "ada@example.org", subject: "A new token", text: "http://rail.test/wallet/link#recover=v1.x" });
  mailer.send({ to: "refused@example.org", subject: "Low", text: "x" });
  await until("mail sent");
  await until("sending mail failed");
  await mailer.close();
  const transcript = server.received.join("");
  assert.match(transcript, /MAIL FROM:<rail@example\.org>/);
  assert.match(transcript, /RCPT TO:<ada@example\.org>/);
  assert.match(transcript, /Subject: A new token[\s\S]*wallet\/link#recover=3Dv1\.x|wallet\/link#recover=v1\.x/);
  assert.equal(transcript.match(/RCPT TO:<refused@/g)?.length, 1, "refused for good");
  assert.match(log(), /EENVELOPE 550/);
  assert.ok(!log().includes("@example.org"), log());
});

test("retries a mail that the server defers", async () => {
  await using server = await openMailServer();
  const { mailer, log, until } = await openMailer(server.url);
  mailer.send({ to: "later@example.org", subject: "Low", text: "x" });
  await until("mail sent");
  await mailer.close();
  assert.match(log(), /EENVELOPE 451.*sending mail failed; retrying/);
  assert.equal(server.received.join("").match(/RCPT TO:<later@/g)?.length, 2);
});

test("an unreachable server only writes to the log", async () => {
  const { url } = await (async () => {
    await using server = await openMailServer();
    return { url: server.url };
  })();
  const { mailer, log, until } = await openMailer(url);
  mailer.send({ to: "ada@example.org", subject: "Low", text: "x" });
  await until('sending mail failed"');
  await mailer.close();
  assert.equal(log().match(/sending mail failed; retrying/g)?.length, 2);
});

test("neither a hanging server nor a mail waiting for its retry blocks shutdown", async () => {
  await using server = await openMailServer();
  const { mailer, log, until } = await openMailer(server.url, { pausesMs: [3_600_000], closingMs: 1 });
  mailer.send({ to: "later@example.org", subject: "Low", text: "x" });
  await until("sending mail failed; retrying");
  mailer.send({ to: "silence@example.org", subject: "Low", text: "x" });
  await mailer.close();
  assert.match(log(), /shutdown timeout; unsent mails dropped/);
});

test("requires a host in the mail server's URL", () => {
  const isTaken = (url: string) => Value.Check(RailConfig.properties.RAIL_SMTP_URL, url);
  for (const url of ["smtp://mail", "smtps://ada%40a:p%2F%40@mail.test:465", "smtp://[::1]:25/?requireTLS=true"])
    assert.ok(isTaken(url), url);
  for (const url of ["smtp://", "smtps://", "smtp://ada:p@", "smtp:// mail", "http://mail"])
    assert.ok(!isTaken(url), url);
});
