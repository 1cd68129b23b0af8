import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ask as askPanel, keysOf, waitForEnd, type RequestOptions } from "./support/panel-api.ts";
import { startCollector, type CollectedSpan } from "./support/collector.ts";
import { openInstallation } from "./support/product.ts";

test("a paid decision is one trace over three services, a run one over panel and worker", async () => {
  await using collector = await startCollector();
  await using installation = await openInstallation();
  const product = await installation.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    PANEL_EMBEDDED_WORKER: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
  });
  const { token: wallet } = await installation.demoWallet();
  const decided = await fetch(`${product.addressOf("gateway")}/v1/route`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-rail-wallet": wallet,
      "idempotency-key": "planted-key-of-a-caller",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    },
    body: JSON.stringify({ state: "planted text of a caller" }),
  });
  assert.equal(decided.status, 200, await decided.text());
  const { access_token: token } = await keysOf(installation.folder);
  const panel = product.addressOf("panel");
  const api = (path: string, options: RequestOptions = {}) => askPanel(panel + path, { token, ...options });
  const runs = (await api("/api/runs")).body.items;
  const demo = runs.find(({ kind }: { readonly kind: string }) => kind === "maintain");
  await waitForEnd(api, demo.id);
  assert.equal(await product.end("SIGTERM"), 0);

  const spans = collector.spans.filter(({ traceId }) => traceId === "0af7651916cd43dd8448eb211c80319c");
  const one = (service: string, name: string): CollectedSpan => {
    const found = spans.filter((span) => span.service === service && span.name === name);
    assert.equal(
      found.length,
      1,
      `${service} ${name}: ${spans.map((span) => span.service + " " + span.name).join(", ")}`,
    );
    return found[0];
  };
  // In the gateway, the request and the calls to both others have route patterns as names.
  const calls = spans.filter(({ service }) => service === "gateway");
  const request = calls.find(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331");
  assert.equal(request?.name, "POST /v1/route");
  assert.equal(Number(request.attributes["http.response.status_code"]), 200);
  for (const [service, name] of [
    ["router", "POST /v1/route"],
    ["rail", "POST /internal/v1/charges"],
  ] as const) {
    const call = calls.find((span) => span.attributes["peer.service"] === service && span.name === name);
    assert.equal(call?.parentSpanId, request.spanId, service);
    assert.equal(one(service, name).parentSpanId, call.spanId, service);
  }

  const run = collector.spans.find(
    (span) => span.name === "run maintain" && span.attributes["triptych.run.id"] === demo.id,
  );
  const work = collector.spans.find(({ service, traceId }) => service === "worker" && traceId === run?.traceId);
  assert.equal(run?.service, "panel");
  assert.equal(work?.parentSpanId, run.spanId);
  assert.deepEqual(run.events.slice(0, 2), ["queued", "leased"]);
  assert.ok(work.events.includes("verifying"), String(work.events));
  for (const secret of [wallet, token, "planted"]) assert.ok(!collector.text().includes(secret));
});

test("a collector that is down affects neither responses nor the stop", async () => {
  await using installation = await openInstallation();
  // Nothing listens on port 9.
  const product = await installation.startDirectory({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  const { pro_key } = await installation.credentials();
  for (let count = 0; count < 50; count++) {
    const response = await fetch(`${product.url}/api/items?limit=1`, { headers: { "x-api-key": pro_key } });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
  assert.equal(await product.end("SIGTERM"), 0);
  assert.ok(!product.log().includes('"level":"error"'), product.log());
});

test("loads nothing of OpenTelemetry without a collector", async () => {
  await using installation = await openInstallation();
  const list = new URL("./support/list-modules.mjs", import.meta.url);
  const loaded = async (variables: Record<string, string>) => {
    const file = join(installation.folder, "modules");
    const options = { NODE_OPTIONS: `--import ${list.href}`, MODULE_LIST: file };
    const product = await installation.start({ ...options, ...variables });
    assert.equal(await product.end("SIGTERM"), 0);
    return readFile(file, "utf8");
  };
  const without = await loaded({});
  assert.match(without, /packages\/tracing\/src\/index\.ts/);
  // The metrics library loads the API package, which alone does nothing.
  assert.doesNotMatch(without, /@opentelemetry\/(?!api\/)/);
  assert.match(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }), /@opentelemetry\/sdk-trace/);
});
