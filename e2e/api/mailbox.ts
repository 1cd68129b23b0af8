/** A mail server on loopback that accepts every mail. */
import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Mailbox } from "./rail-stories.ts";

export async function openMailbox(): Promise<Mailbox & AsyncDisposable & { readonly url: string }> {
  let mails = "";
  const arrivals = new EventEmitter();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    let mail = "";
    socket.write("220 mailbox ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      if (inData) {
        mail += text;
        if (!mail.endsWith("\r\n.\r\n")) return;
        // Only complete mails count: a link may arrive in two pieces. SMTP doubles a dot that begins a line.
        mails += mail.replaceAll("\r\n..", "\r\n.");
        mail = "";
        inData = false;
        socket.write("250 ok\r\n");
        arrivals.emit("mail");
      } else if (/^DATA/i.test(text)) {
        inData = true;
        socket.write("354 go on\r\n");
      } else if (/^QUIT/i.test(text)) socket.end("221 bye\r\n");
      else socket.write("250 ok\r\n");
    });
    socket.on("error", () => socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `smtp://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    async code(link) {
      const pattern = new RegExp(`#${link}=([^\\s"<]+)`, "g");
      // Quoted-printable breaks long lines.
      const codes = () => [...mails.replaceAll("=\r\n", "").replaceAll("=3D", "=").matchAll(pattern)];
      while (codes().length === 0) await once(arrivals, "mail");
      return codes().at(-1)?.[1] ?? "";
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
