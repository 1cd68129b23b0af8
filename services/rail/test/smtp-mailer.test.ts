import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { createLogger } from "@triptych/server";
import { createSmtpMailer } from "../src/smtp-mailer.ts";

/** A mail server that speaks as much SMTP as it takes, and refuses one recipient. */
async function openMailServer() {
  const heard: string[] = [];
  const server = createServer((socket: Socket) => {
    let inData = false;
    socket.write("220 test ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      heard.push(text);
      if (inData) {
        if (text.endsWith("\r\n.\r\n")) {
          inData = false;
          socket.write("250 kept\r\n");
        }
        return;
      }
      const word = text.slice(0, 4).toUpperCase();
      if (word === "DATA") {
        inData = true;
        socket.write("354 go on\r\n");
      } else if (word === "QUIT") socket.end("221 bye\r\n");
      else if (text.includes("refused@")) socket.write(`550 no such box ${text}`);
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
    heard,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  };
}

test("a mail is handed to the server as it is, and what is refused is logged without its address", async () => {
  await using server = await openMailServer();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: "rail", level: "info", destination });
  const mailer = await createSmtpMailer({ url: server.url, from: "rail@example.org", logger });
  mailer.send({ to: "ada@example.org", subject: "A new token", text: "http://rail.test/wallet/link#recover=v1.x" });
  mailer.send({ to: "refused@example.org", subject: "Low", text: "x" });
  await mailer.close();
  const said = server.heard.join("");
  assert.match(said, /MAIL FROM:<rail@example\.org>/);
  assert.match(said, /RCPT TO:<ada@example\.org>/);
  assert.match(said, /Subject: A new token[\s\S]*wallet\/link#recover=3Dv1\.x|wallet\/link#recover=v1\.x/);
  const log = lines.join("");
  assert.match(log, /"mail sent"/);
  assert.match(log, /EENVELOPE 550/);
  assert.ok(!log.includes("@example.org"), log);
});

test("a server that is not there costs a line in the log and nothing else", async () => {
  const { url } = await (async () => {
    await using server = await openMailServer();
    return { url: server.url };
  })();
  const lines: string[] = [];
  const logger = createLogger({
    service: "rail",
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  const mailer = await createSmtpMailer({ url, from: "rail@example.org", logger });
  mailer.send({ to: "ada@example.org", subject: "Low", text: "x" });
  await mailer.close();
  assert.match(lines.join(""), /could not be sent/);
});
