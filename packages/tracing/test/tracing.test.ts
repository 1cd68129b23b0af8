import assert from "node:assert/strict";
import { test } from "node:test";
import { openTracing, traceCall, traceHeadersIn, type Tracing, type TracingConfig } from "../src/index.ts";

const CALLER = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "vendor=1" };

/** Nothing listens on port 9. */
async function open(config: Partial<TracingConfig> = {}): Promise<Tracing> {
  const tracing = await openTracing("test", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", ...config });
  return tracing ?? assert.fail("no tracing");
}

function partOf({ traceparent }: { readonly traceparent: string }, part: "trace" | "flags"): string | undefined {
  return traceparent.split("-")[part === "trace" ? 1 : 3];
}

test("is null without a collector, and calls send no headers", async () => {
  assert.equal(await openTracing("test", {}), null);
  assert.deepEqual(await traceCall(null, { name: "call" }, async (headers) => headers), {});
});

test("continues the caller's trace and forwards its state", async () => {
  await using tracing = await open();
  const request = tracing.start({ name: "GET /", kind: "server", parent: traceHeadersIn({ ...CALLER, host: "x" }) });
  const sent = await request.run(() => traceCall(tracing, { name: "GET /other" }, async (headers) => headers));
  assert.equal(traceHeadersIn(sent)?.tracestate, "vendor=1");
  assert.equal(partOf(traceHeadersIn(sent) ?? assert.fail(), "trace"), partOf(CALLER, "trace"));
  assert.equal(tracing.current(), null);
  request.end();
});

test("samples according to the standard variables, and follows the caller if the sampler is parent-based", async () => {
  await using off = await open({ OTEL_TRACES_SAMPLER: "parentbased_always_off" });
  assert.equal(partOf(off.start({ name: "a", kind: "server", parent: null }).headers, "flags"), "00");
  assert.equal(partOf(off.start({ name: "a", kind: "server", parent: CALLER }).headers, "flags"), "01");
  await using never = await open({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0 });
  assert.equal(partOf(never.start({ name: "a", kind: "server", parent: CALLER }).headers, "flags"), "00");
});

test("a failed call rejects with its own error", async () => {
  await using tracing = await open();
  const failing = traceCall(tracing, { name: "GET /" }, () => Promise.reject(new TypeError("refused")));
  await assert.rejects(failing, /refused/);
});
