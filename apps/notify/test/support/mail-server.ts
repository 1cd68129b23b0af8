/** A minimal mail server that responds to recipients by their name. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export async function startMailServer(responses: Readonly<Record<string, string>> = {}) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isContent = false;
    let text = "";
    socket.write("220 test ESMTP\r\n");
    socket.on("error", () => socket.destroy());
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      for (;;) {
        const end = text.indexOf(isContent ? "\r\n.\r\n" : "\r\n");
        if (end === -1) return;
        const unit = text.slice(0, end);
        text = text.slice(end + (isContent ? 5 : 2));
        received.push(unit);
        isContent = !isContent && unit === "DATA";
        socket.write(`${responseTo(unit, isContent)}\r\n`);
        if (unit === "QUIT") socket.end();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  function responseTo(unit: string, isContent: boolean): string {
    if (isContent) return "354 go on";
    const [, name = ""] = /^RCPT TO:<([^@]+)@/.exec(unit) ?? [];
    return responses[name] ?? "250 OK";
  }
}
