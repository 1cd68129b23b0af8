/**
 * Streamable HTTP without sessions: every request gets its own MCP server with the credentials of that request, so any
 * number of processes can serve one address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { problems, type ProblemCode } from "@triptych/contracts";
import type { McpConfig } from "./config.ts";
import { createMcpServer } from "./server.ts";
import { createServices, credentialsIn, credentialsOf } from "./services.ts";

export interface HttpOptions {
  readonly config: McpConfig;
  readonly allowsWrites: boolean;
}

export interface RunningHttp {
  readonly url: string;
  stop(): Promise<void>;
}

const PATH = "/mcp";
const CONNECTIONS_MAX = 1_000;
/** The largest requests create heads. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;

export async function startHttp({ config, allowsWrites }: HttpOptions): Promise<RunningHttp> {
  const isAllowed = createHostCheck(config);
  const server = createServer((request, response) => {
    handle(request, response, { config, allowsWrites, isAllowed }).catch(() => {
      if (response.headersSent) response.destroy();
      else sendProblem(response, "internal", "The request failed.");
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(config.MCP_PORT, config.HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = isIP(config.HOST) === 6 ? `[${config.HOST}]` : config.HOST;
  return {
    url: `http://${host}:${port}${PATH}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { config, allowsWrites, isAllowed }: HttpOptions & { readonly isAllowed: (host: string) => boolean },
): Promise<void> {
  const { host = "", origin } = request.headers;
  // DNS rebinding: a page whose name resolves to this machine sends its own name as host and origin.
  if (!isAllowed(host))
    return sendProblem(response, "misdirected_request", "The host is not allowed. Add it to MCP_ALLOWED_HOSTS.");
  if (origin !== undefined && !isAllowed(originHost(origin)))
    return sendProblem(response, "csrf_failed", "Pages of this origin are not allowed to use the server.");
  const [path] = (request.url ?? "").split("?");
  if (path !== PATH) return sendProblem(response, "not_found", `The MCP server is at ${PATH}.`);
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    return sendProblem(response, "method_not_allowed", "Without sessions, the server only accepts POST.");
  }
  const credentials = { ...credentialsOf(config), ...credentialsIn(request.headers) };
  const server = createMcpServer({ services: createServices(config, credentials), allowsWrites });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: BODY_MAX_BYTES });
  response.once("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

function sendProblem(response: ServerResponse, code: ProblemCode, detail: string): void {
  const { status, title } = problems[code];
  const body = JSON.stringify({ type: `/problems/${code}`, title, status, code, detail });
  response.writeHead(status, { "Content-Type": "application/problem+json", "X-Content-Type-Options": "nosniff" });
  response.end(body);
}

/** `Host` has no scheme, `Origin` has one; `null` is the origin of sandboxed pages. */
function originHost(origin: string): string {
  return URL.parse(origin)?.host ?? "";
}

function createHostCheck({ HOST, MCP_ALLOWED_HOSTS = "" }: McpConfig): (host: string) => boolean {
  const listed = MCP_ALLOWED_HOSTS.split(",").map((name) => name.trim().toLowerCase());
  const names = new Set([...listed.filter((name) => name !== ""), HOST.toLowerCase()]);
  return (host) => {
    const name = hostnameOf(host);
    return name !== null && (isLoopback(name) || names.has(name));
  };
}

/** Lower case, without port, brackets and trailing dot. Null if invalid. */
function hostnameOf(host: string): string | null {
  if (host === "" || /[\s/?#@\\]/.test(host)) return null;
  const hostname = URL.parse(`http://${host}`)?.hostname;
  return hostname?.replaceAll(/^\[|\]$|\.$/g, "") ?? null;
}

export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "::1") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
