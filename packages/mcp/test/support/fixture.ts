/** A service with scripted responses on loopback, and an MCP client connected to the server in memory. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { readConfig, type Environment } from "@triptych/config";
import { McpConfig } from "../../src/config.ts";
import { createMcpServer } from "../../src/server.ts";
import { createServices, credentialsOf } from "../../src/services.ts";

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export async function startFakeService(respond: (request: SentRequest) => FakeResponse) {
  const requests: SentRequest[] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const text = (await incoming.toArray()).join("");
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
    requests.push(request);
    const { status = 200, headers: extra = {}, body } = respond(request);
    outgoing.writeHead(status, { "Content-Type": "application/json", ...extra });
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  // If `respond` throws, the connection breaks, which fails the test.
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => outgoing.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every service at one address. */
export function environmentOf(url: string, more: Environment = {}): Environment {
  return { DIRECTORY_URL: url, PANEL_URL: url, GATEWAY_URL: url, ROUTER_URL: url, RAIL_URL: url, ...more };
}

export async function connectInMemory(environment: Environment, { allowsWrites = false } = {}) {
  const config = readConfig(McpConfig, environment);
  const server = createMcpServer({ services: createServices(config, credentialsOf(config)), allowsWrites });
  const client = new Client({ name: "test", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** Returns the text and the error flag of a tool's result. */
export async function callText(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}) {
  const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: { ...args } }));
  const [content] = result.content;
  return { isError: result.isError === true, text: content?.type === "text" ? content.text : "" };
}
