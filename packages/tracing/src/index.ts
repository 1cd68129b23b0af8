/**
 * Traces by OpenTelemetry. Nothing of it is loaded unless OTEL_EXPORTER_OTLP_ENDPOINT is set. Between processes a span is
 * known by its W3C headers, which are also how this package names a parent.
 */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Route patterns and fixed words only: no path, query, key or text of a caller. */
  readonly name: string;
  readonly kind: "server" | "client" | "consumer" | "internal";
  /** Absent: the span that is running here. Null: none. */
  readonly parent?: TraceHeaders | null | undefined;
  readonly links?: readonly TraceHeaders[];
  readonly attributes?: Attributes;
}

export interface TraceSpan {
  readonly headers: TraceHeaders;
  set(attributes: Attributes): void;
  event(name: string): void;
  /** `error` is a code, such as a status, never a message. */
  end(error?: string): void;
  /** Spans started in `work` are its children. */
  run<T>(work: () => T): T;
}

export interface Tracing extends AsyncDisposable {
  start(options: SpanOptions): TraceSpan;
  /** The span that is running here. */
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

/** Sends a request in a span of its own, with the headers that continue the trace. Without tracing, with none. */
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

/** The headers of a request that name its trace. */
export function traceHeadersIn(headers: Readonly<Record<string, string | string[] | undefined>>): TraceHeaders | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string") return null;
  return typeof tracestate === "string" ? { traceparent, tracestate } : { traceparent };
}
