/** Implements the interface with the official SDK. Loaded on demand only. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from "@opentelemetry/api";
import { parseKeyPairsIntoRecord, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import type { SpanOptions, TraceHeaders, TraceSpan, Tracing, TracingConfig } from "./index.ts";

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;
/** About 2 MB of spans. While the collector is slow or down, further spans are dropped. */
const QUEUE_MAX = 4096;
const EXPORT_MS = 5_000;
/** Maximum time that a shutdown waits for the collector. */
const LAST_EXPORT_MS = 2_000;

const propagator = new W3CTraceContextPropagator();
/** Shared by all services of the process, which call each other over HTTP. */
const running = new AsyncLocalStorage<TraceHeaders>();

interface Options extends TracingConfig {
  readonly service: string;
  readonly endpoint: string;
}

export function startTracing({ service, endpoint, ...config }: Options): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: parseKeyPairsIntoRecord(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: EXPORT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...parseKeyPairsIntoRecord(config.OTEL_RESOURCE_ATTRIBUTES),
      "service.name": service,
      "service.namespace": "triptych",
      "service.instance.id": randomUUID(),
    }),
    sampler: samplerOf(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: QUEUE_MAX, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer("triptych");
  return {
    start({ name, kind, parent = running.getStore(), links = [], attributes }: SpanOptions) {
      const context = parent == null ? ROOT_CONTEXT : contextOf(parent);
      const linked = links.flatMap((headers) => trace.getSpanContext(contextOf(headers)) ?? []);
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], ...(attributes && { attributes }), links: linked.map((link) => ({ context: link })) },
        context,
      );
      return spanOf(span);
    },
    current: () => running.getStore() ?? null,
    async [Symbol.asyncDispose]() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LAST_EXPORT_MS);
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

function spanOf(span: Span): TraceSpan {
  const headers = headersOf(trace.setSpan(ROOT_CONTEXT, span));
  return {
    headers,
    set: (attributes) => void span.setAttributes(attributes),
    event: (name) => void span.addEvent(name),
    end(error) {
      // The SDK would log an error if a span ended twice.
      if (!span.isRecording()) return;
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", error);
      span.end();
    },
    run: (work) => running.run(headers, work),
  };
}

function contextOf(headers: TraceHeaders): Context {
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
}

function headersOf(context: Context): TraceHeaders {
  const carrier: { traceparent: string; tracestate?: string } = { traceparent: "" };
  propagator.inject(context, carrier, defaultTextMapSetter);
  return carrier;
}

/** The standard sampler names. The configuration rejects others. */
function samplerOf(name = "parentbased_always_on", ratio = 1): Sampler {
  const root = name.endsWith("always_off")
    ? new AlwaysOffSampler()
    : name.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}
