import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { test } from "node:test";
import { watchDelivery } from "../../src/billing/index.ts";

/** One request, of which the test holds both ends. */
async function exchange() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const asked = once(server, "request");
  const client = request({ host: "127.0.0.1", port: address.port, agent: false });
  client.on("error", () => {});
  client.on("response", (answer) => answer.resume());
  client.end();
  const [, response]: [unknown, ServerResponse] = (await asked) as [unknown, ServerResponse];
  const heard: string[] = [];
  const reversed = new AbortController();
  const charged = {
    signal: reversed.signal,
    delivered: () => void heard.push("delivered"),
    aborted: (reason: string) => void heard.push(reason),
  };
  return {
    client,
    response,
    heard,
    charged,
    reversed,
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("an answer that has left is delivered, whatever becomes of the connection after", async () => {
  await using one = await exchange();
  assert.ok(watchDelivery(one.charged, one.response));
  one.response.end("decision");
  await once(one.response, "close");
  one.reversed.abort();
  assert.equal(one.heard[0], "delivered");
});

test("who hangs up before the answer has left was not delivered to", async () => {
  await using one = await exchange();
  assert.ok(watchDelivery(one.charged, one.response));
  one.client.destroy();
  await once(one.response, "close");
  assert.deepEqual(one.heard, ["client_gone"]);
});

test("who hung up while the charge was made was not delivered to either", async () => {
  await using one = await exchange();
  one.client.destroy();
  await once(one.response, "close");
  assert.equal(watchDelivery(one.charged, one.response), false);
  assert.deepEqual(one.heard, ["client_gone"]);
});

test("an answer whose charge was reversed does not leave", async () => {
  await using one = await exchange();
  assert.ok(watchDelivery(one.charged, one.response));
  one.response.write("half");
  one.reversed.abort();
  await once(one.response, "close");
  assert.deepEqual(one.heard, ["client_gone"]);
  await using other = await exchange();
  other.reversed.abort();
  assert.equal(watchDelivery(other.charged, other.response), false);
});
