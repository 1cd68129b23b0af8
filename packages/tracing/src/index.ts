/**
 * Tracing with OpenTelemetry, which is loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set. W3C headers identify a span
 * across processes; this package also uses them to identify a parent.
 */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Only route patterns and fixed words; never a caller's path, query, key or text. */
  readonly name: string;
  readonly kind: "server" | "client" | "consumer" | "internal";
  /** Parent span; the current span if absent, none if null. */
  readonly parent?: TraceHeaders | null | undefined;
  readonly links?: readonly TraceHeaders[];
  readonly attributes?: Attributes;
}

export interface TraceSpan {
  readonly headers: TraceHeaders;
  set(attributes: Attributes): void;
  event(name: string): void;
  /** `error` is a code such as a status, never a message. */
  end(error?: string): void;
  /** Spans started in `work` are children of this span. */
  run<T>(work: () => T): T;
}

export interface Tracing extends AsyncDisposable {
  start(options: SpanOptions): TraceSpan;
  /** The current span. */
  current(): TraceHeaders | null;
}

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  readonly OTEL_TRACES_SAMPLER?: string;
  readonly OTEL_TRACES_SAMPLER_ARG?: number;
  readonly OTEL_RESOURCE_ATTRIBUTES?: string | undefined;
}

/** Null without OTEL_EXPORTER_OTLP_ENDPOINT. */
export async function openTracing(service: string, config: TracingConfig): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return null;
  const { startTracing } = await import("./open-telemetry.ts");
  return startTracing({ ...config, service, endpoint });
}

/** Sends a request in its own span, with the headers that continue the trace. Without tracing, it sends no headers. */
export async function traceCall<T>(
  tracing: Tracing | null,
  options: Omit<SpanOptions, "kind">,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (tracing === null) return send({});
  const span = tracing.start({ ...options, kind: "client" });
  try {
    return await send({ ...span.headers });
  } catch (error) {
    span.end(error instanceof Error ? error.name : "Error");
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the trace headers of a request. */
export function traceHeadersIn(headers: Readonly<Record<string, string | string[] | undefined>>): TraceHeaders | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string") return null;
  return typeof tracestate === "string" ? { traceparent, tracestate } : { traceparent };
}
