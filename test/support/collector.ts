/** An OTLP collector on loopback: OTLP over HTTP as JSON. */
import { once } from "node:events";
import { createServer } from "node:http";
import { isRecord } from "@triptych/util";

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All bodies as received. */
  text(): string;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      bodies.push(body);
      spans.push(...spansIn(JSON.parse(body)));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    text: () => bodies.join("\n"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Attribute {
  readonly key: string;
  readonly value: unknown;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "service" | "parentSpanId" | "attributes" | "events"> & {
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
        readonly events?: readonly { readonly name: string }[];
      })[];
    }[];
  }[];
}

function spansIn({ resourceSpans }: Body): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, events = [], parentSpanId = "", ...span }) => ({
        ...span,
        parentSpanId,
        service: String(valuesOf(resource.attributes)["service.name"]),
        attributes: valuesOf(attributes),
        events: events.map(({ name }) => name),
      })),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, isRecord(value) ? Object.values(value)[0] : undefined]),
  );
}
