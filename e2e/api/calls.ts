/** Calls operations of a contract by ID, and reports each exchange: for capturing examples and for the validating proxy. */
import type { Endpoint, ServiceContract } from "@triptych/contracts";

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  /** Includes the question mark. */
  readonly query?: string;
  /** Sent as JSON, except bytes, which are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of the response, if it has a structured suffix such as `+json`. */
  readonly suffixed?: string;
  /** False for polls, whose number and responses differ from run to run. */
  readonly isExample?: false;
  /** Reads an endless event stream up to its first event. */
  readonly firstEvent?: true;
}

export interface Exchange {
  readonly service: string;
  readonly operation: string;
  readonly request: CallOptions;
  readonly status: number;
  readonly headers: Headers;
  /** The media type without its parameters. */
  readonly media: string;
  readonly bytes: Uint8Array;
  readonly isProxied: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Stories read a few members of responses that the server's tests have already checked.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export type Call = (operation: string, request?: CallOptions) => Promise<Reply>;

export interface Proxy {
  /** The URL for responses of this media type with a structured suffix; without an argument, for all others. */
  urlFor(suffixed?: string): Promise<string>;
}

export interface Target {
  readonly contract: ServiceContract;
  readonly url: string;
  /** Is called instead of the service, except for endless responses and bodies that a proxy would read as text. */
  readonly proxy?: Proxy;
  readonly observe: (exchange: Exchange) => void;
}

/** A call fails if its status is not 2xx. */
export function createCall({ contract, url, proxy, observe }: Target, common: Readonly<Record<string, string>>): Call {
  const byId = new Map(contract.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return async (operation, request = {}) => {
    const endpoint = byId.get(operation);
    if (endpoint === undefined) throw new Error(`${contract.name} has no operation ${operation}.`);
    const isProxied = proxy !== undefined && !(request.body instanceof Uint8Array) && request.firstEvent === undefined;
    const origin = isProxied ? await proxy.urlFor(request.suffixed) : url;
    const response = await fetch(origin + pathOf(endpoint, request), {
      method: endpoint.method,
      headers: headersOf({ ...common, ...contentType(request.body), ...request.headers }),
      ...(request.body !== undefined && { body: bytesOf(request.body) }),
    });
    const bytes = request.firstEvent ? await readEvent(response) : new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const media = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
    if (!response.ok) throw new Error(`${operation} returned ${response.status}: ${text.slice(0, 2_000)}`);
    const { status, headers } = response;
    observe({ service: contract.name, operation, request, status, headers, media, bytes, isProxied });
    return { status, headers, text, json: media.endsWith("json") ? JSON.parse(text) : null };
  };
}

async function readEvent(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if (/^data: .*\n\n/m.test(text)) break;
  }
  return Buffer.concat(chunks);
}

function pathOf({ path }: Endpoint, { params = {}, query = "" }: CallOptions): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? "")) + query;
}

/** An empty value removes a common header. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
}

function contentType(body: unknown): Readonly<Record<string, string>> {
  return body === undefined || body instanceof Uint8Array ? {} : { "Content-Type": "application/json" };
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
