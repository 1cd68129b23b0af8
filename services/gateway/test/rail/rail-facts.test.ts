import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { after, before, test } from "node:test";
import { openTracing } from "@triptych/tracing";
import { createRailFacts } from "../../src/rail/rail-facts.ts";

const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
const rail = createServer(({ url, headers }, response) => {
  seen.push({ url, headers });
  response.writeHead(200, { "Content-Type": "application/json" }).end('{"entitled":true}');
});

before(async () => {
  rail.listen(0, "127.0.0.1");
  await once(rail, "listening");
});
after(() => rail.close());

test("queries continue the trace of the request, and have no trace outside of one", async () => {
  const address = rail.address();
  const url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
  // Nothing listens on port 9.
  await using tracing = await openTracing("gateway", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  assert.ok(tracing !== null);
  const options = {
    url,
    serviceToken: "service",
    tracing,
    now: () => 0,
    onError: (error: unknown) => assert.fail(String(error)),
  };
  const facts = createRailFacts(options);
  const query = { walletHash: "a".repeat(43), sku: "custom_head" as const, ref: "hed_1" };
  assert.equal(await facts.isEntitled(query), true);
  const span = tracing.start({ name: "POST /v1/route", kind: "server", parent: null });
  assert.equal(await span.run(() => facts.isEntitled(query)), true);
  span.end();
  const [outside, inside] = seen.map(({ headers }) => headers);
  assert.equal(outside?.["traceparent"], undefined);
  assert.equal(String(inside?.["traceparent"]).split("-")[1], span.headers.traceparent.split("-")[1]);
  assert.equal(inside?.["authorization"], "Bearer service");
});
