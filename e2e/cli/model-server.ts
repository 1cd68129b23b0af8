/**
 * A scripted model on loopback, for every API: its only input is the conversation's progress. It records every call, so that tests can
 * check the data sent.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { wires, type ModelReply, type Call, type Json, type Completion, type Tool } from "./wires.ts";

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Unknown paths. */
  readonly strangers: readonly string[];
}

export interface ReceivedCall extends Call {
  /** The credential that it received. */
  readonly key: string;
  readonly path: string;
}

export type Script = (call: Call) => ModelReply;

/** Usage of a call: a thousand tokens read, a tenth of them cached, and fifty written. */
export const COUNTS = { input: 1_000, cached: 100, output: 50 };

export async function startModelServer(script: Script, port = 0): Promise<ModelServer> {
  const calls: ReceivedCall[] = [];
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    calls,
    strangers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? "/", "http://model");
    const wire = wires.find(({ path }) => path.test(pathname));
    if (wire === undefined || request.method !== "POST") {
      strangers.push(`${request.method} ${pathname}`);
      const isList = pathname.endsWith("/models");
      response.writeHead(isList ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify(isList ? MODELS : { error: { message: "not here" } }));
      return;
    }
    const body = JSON.parse(text) as Json;
    const call = { wire: wire.name, text, ...wire.read(body) };
    calls.push({ ...call, key: keyOf(request), path: pathname });
    const model = typeof body["model"] === "string" ? body["model"] : "scripted";
    const completion: Completion = { id: String(calls.length), model, answer: script(call), counts: COUNTS };
    const wantsStream = body["stream"] === true || pathname.includes(":stream");
    if (!wantsStream) {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(wire.whole(completion)));
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const { event, data } of wire.events(completion)) {
      if (event !== undefined) response.write(`event: ${event}\n`);
      response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  }
}

const MODELS = { object: "list", data: [{ id: "scripted", object: "model", owned_by: "test" }] };

function keyOf({ headers }: IncomingMessage): string {
  const credential = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "";
  return String(credential).replace(/^Bearer /, "");
}

/** The command as a call of the agent's shell tool. */
export function shell(tools: readonly Tool[], command: string): ModelReply {
  const tool = tools.find(({ name }) => SHELLS.test(name));
  if (tool === undefined) return { kind: "text", text: "No shell tool is available." };
  const properties = tool.parameters["properties"] as Readonly<Record<string, Json>>;
  const required = (tool.parameters["required"] ?? []) as readonly string[];
  const filled = Object.fromEntries(required.map((name) => [name, fillOf(properties[name])]));
  const name = ["cmd", "command", "commands"].find((candidate) => candidate in properties) ?? "command";
  const value = properties[name]?.["type"] === "array" ? toArgs(tool.name, command) : command;
  return { kind: "tool", name: tool.name, arguments: { ...filled, [name]: value } };
}

const SHELLS = /^(exec_command|shell|bash|run_shell_command|execute_command|run_commands?|terminal)$/i;

function toArgs(tool: string, command: string): readonly string[] {
  return tool.startsWith("run_command") ? [command] : ["/bin/sh", "-c", command];
}

function fillOf(schema: Json | undefined): unknown {
  if (schema?.["type"] === "boolean") return false;
  return schema?.["type"] === "number" || schema?.["type"] === "integer" ? 10_000 : "Repair the sum";
}
