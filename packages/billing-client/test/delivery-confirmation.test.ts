import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { test } from "node:test";
import { confirmDelivery } from "../src/index.ts";

/** One request, with access to its client and server side. */
async function exchange() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const arrival = once(server, "request");
  const client = request({ host: "127.0.0.1", port: address.port, agent: false });
  client.on("error", () => {});
  client.on("response", (answer) => answer.resume());
  client.end();
  const [, response]: [unknown, ServerResponse] = (await arrival) as [unknown, ServerResponse];
  const events: string[] = [];
  const reversed = new AbortController();
  const charged = {
    signal: reversed.signal,
    delivered: () => void events.push("delivered"),
    aborted: (reason: string) => void events.push(reason),
  };
  return {
    client,
    response,
    events,
    charged,
    reversed,
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a sent response counts as delivered, whatever happens to the connection afterwards", async () => {
  await using connection = await exchange();
  assert.ok(confirmDelivery(connection.charged, connection.response));
  connection.response.end("decision");
  await once(connection.response, "close");
  connection.reversed.abort();
  assert.equal(connection.events[0], "delivered");
});

test("aborts if the client disconnects before the response is sent", async () => {
  await using connection = await exchange();
  assert.ok(confirmDelivery(connection.charged, connection.response));
  connection.client.destroy();
  await once(connection.response, "close");
  assert.deepEqual(connection.events, ["client_gone"]);
});

test("aborts if the client disconnected during the charge", async () => {
  await using connection = await exchange();
  connection.client.destroy();
  await once(connection.response, "close");
  assert.equal(confirmDelivery(connection.charged, connection.response), false);
  assert.deepEqual(connection.events, ["client_gone"]);
});

test("does not send a response whose charge was reversed", async () => {
  await using connection = await exchange();
  assert.ok(confirmDelivery(connection.charged, connection.response));
  connection.response.write("half");
  connection.reversed.abort();
  await once(connection.response, "close");
  assert.deepEqual(connection.events, ["client_gone"]);
  await using other = await exchange();
  other.reversed.abort();
  assert.equal(confirmDelivery(other.charged, other.response), false);
});
