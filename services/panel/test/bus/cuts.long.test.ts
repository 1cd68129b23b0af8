/** A real browser whose connection is cut 500 times: EventSource reconnects and misses nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { openBrowser, withoutBrowser } from "@triptych/server/testing";
import { seeded, type Seeded } from "@triptych/server/testing/seeded";
import { busItem } from "../support/bus.ts";
import { createLeasedRun } from "../support/leased-run.ts";
import { createFixture } from "../support/create-fixture.ts";

const CUTS = 500;
/** Maximum number of bytes before a cut. */
const THROUGH_BYTES = 6_000;
/** Never within the headers: a browser gives up on such a response. */
const HEADER_BYTES = 1_000;
/** Maximum lag of the page: cuts hit both past and live messages. */
const BEHIND = 20;

test("loses and duplicates no message in 500 random disconnects", { skip: withoutBrowser }, async () => {
  await using fixture = await createFixture();
  const run = await createLeasedRun(fixture);
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const random = seeded(13);
  await using proxy = await openCutter({ to: fixture.server.fastify.server.address(), token: run.token, random });
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${proxy.url}/page`);
    const received = page.evaluate(
      (path) =>
        new Promise<string[]>((resolve) => {
          const ids: string[] = [];
          const source = new globalThis.EventSource(path);
          source.addEventListener("message", ({ lastEventId }: { lastEventId: string }) => ids.push(lastEventId));
          source.addEventListener("end", () => {
            source.close();
            resolve(ids);
          });
        }),
      run.path,
    );
    let sent = 0;
    while (proxy.cuts() < CUTS) {
      const passed = proxy.passed();
      if (sent - proxy.last() < BEHIND) {
        const text = "x".repeat(random.below(400));
        await fixture.bus.ingest(run.owner, run.id, 1, [busItem(++sent, { text })]);
      } else await passed;
    }
    const { lastSeq } = await run.move("failed", { result: { code: "agent_error", message: "" } });
    const expected = Array.from({ length: lastSeq }, (_, index) => index + 1);
    assert.ok(lastSeq > CUTS);
    assert.deepEqual((await received).map(Number), expected);
  } finally {
    await browser.close();
  }
});

interface CutterOptions {
  readonly to: AddressInfo | string | null;
  readonly token: string;
  readonly random: Seeded;
}

/** A proxy that adds the credential, which EventSource cannot send, serves the page, and cuts connections. */
async function openCutter({ to, token, random }: CutterOptions) {
  const panelPort = portOf(to);
  const sockets = new Set<Socket>();
  let cuts = 0;
  let last = 0;
  let passed = Promise.withResolvers<void>();

  const server = createServer((client) => {
    const panel = createConnection(panelPort, "127.0.0.1");
    for (const socket of [client, panel]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    let left = HEADER_BYTES + random.below(THROUGH_BYTES);
    client.once("data", (head) => {
      if (!String(head).startsWith("GET /api/")) {
        client.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        panel.destroy();
        return;
      }
      panel.write(String(head).replace("\r\n", `\r\nAuthorization: Bearer ${token}\r\n`));
    });
    panel.on("data", (sent) => {
      const isCut = cuts < CUTS && sent.length >= left;
      // The same length: a reconnect delay of one second would make 500 cuts take minutes.
      const text = sent.toString("latin1").replace("retry: 1000", "retry: 0005");
      const through = isCut ? text.slice(0, left) : text;
      client.write(through, "latin1");
      left -= sent.length;
      for (const [, id] of through.matchAll(/^id: (\d+)$/gm)) last = Math.max(last, Number(id));
      if (isCut) {
        cuts++;
        client.end();
        panel.destroy();
      }
      passed.resolve();
      passed = Promise.withResolvers();
    });
    panel.on("end", () => client.end());
    client.on("close", () => panel.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    cuts: () => cuts,
    /** The last forwarded message. */
    last: () => last,
    /** Resolves on more data or on a cut. */
    passed: () => passed.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
