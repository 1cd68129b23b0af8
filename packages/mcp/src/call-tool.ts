/** A tool call sends one request to a service. The response or the problem becomes the tool's result. */
import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { toPageText, type Arguments } from "./page-text.ts";
import { toErrorText } from "./problem-text.ts";
import type { ServiceAccess } from "./services.ts";
import { IDEMPOTENCY_KEY, locationsOf } from "./tool-schema.ts";
import type { ToolRow } from "./tool-table.ts";
import { markUntrusted } from "./untrusted.ts";

/** Longer than training (20 s) and events (25 s) can wait, but shorter than the usual 60 s of MCP clients. */
const CALL_TIMEOUT_MS = 55_000;

export async function callTool(
  row: ToolRow,
  args: Arguments,
  { service, signal }: { readonly service: ServiceAccess; readonly signal: AbortSignal },
): Promise<CallToolResult> {
  const issues = issuesOf(row, args);
  if (issues.length > 0) return toolError(`Invalid arguments for ${row.name}:\n${issues.join("\n")}`);
  try {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    let reply = await requestOnce(row, args, { service, signal: timed });
    let page = toPageText(reply.body, row, args);
    // Each round requests fewer entries: only the API can create a cursor after the last entry that fits.
    while (page.fittingLimit !== undefined) {
      reply = await requestOnce(row, { ...args, limit: page.fittingLimit }, { service, signal: timed });
      page = toPageText(reply.body, row, args);
    }
    const text = row.untrusted === true ? markUntrusted(service.title, page.text) : page.text;
    const lines = [text, page.note, receiptNote(reply.headers)].filter((line) => line !== undefined);
    return { content: [{ type: "text", text: lines.join("\n") }] };
  } catch (error) {
    return toolError(toErrorText(error, service));
  }
}

/** Receipt for `verify_receipt`, which also takes the text before this line. */
function receiptNote(headers: Headers): string | undefined {
  const receipt = headers.get("x-rail-receipt");
  if (receipt === null) return undefined;
  return `Remaining decisions: ${headers.get("x-meter-remaining") ?? "unknown"}. Receipt: ${receipt}`;
}

export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

/** Finds arguments that cannot be turned into a request. The service validates the values. */
function issuesOf(row: ToolRow, args: Arguments): readonly string[] {
  const locations = locationsOf(row);
  const names = new Set(locations.keys());
  if (row.endpoint.idempotent === true) names.add(IDEMPOTENCY_KEY);
  const unknown = Object.keys(args)
    .filter((name) => !names.has(name))
    .map((name) => `- ${name}: unknown. Arguments: ${[...names].join(", ")}.`);
  const missing = (row.required ?? []).filter((name) => args[name] === undefined).map((name) => `- ${name}: required.`);
  const misplaced = [...locations]
    .filter(([name, location]) => location === "params" && !isSegment(args[name]))
    .map(([name]) => `- ${name}: required, a text that is not empty, "." or "..".`);
  return [...unknown, ...missing, ...misplaced];
}

/** URL parsers resolve dot segments even if they are encoded, which would lead to another endpoint. */
function isSegment(value: unknown): boolean {
  return typeof value === "string" && !/^(?:\.|%2e){0,2}$/i.test(value);
}

async function requestOnce(
  row: ToolRow,
  args: Arguments,
  { service, signal }: { readonly service: ServiceAccess; readonly signal: AbortSignal },
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const { endpoint } = row;
  const parts: Record<"params" | "query" | "body", Record<string, unknown>> = {
    params: {},
    query: { ...row.fixed },
    body: {},
  };
  for (const [name, location] of locationsOf(row)) if (args[name] !== undefined) parts[location][name] = args[name];
  const { params, query, body } = parts;
  const key = args[IDEMPOTENCY_KEY];
  const input = {
    params,
    query,
    signal,
    ...(endpoint.body !== undefined && { body }),
    // A generated key makes a retry after a broken connection safe: nothing is paid for or started twice.
    ...(endpoint.idempotent === true && { idempotencyKey: typeof key === "string" ? key : randomUUID() }),
  };
  return service.client.call(endpoint, input);
}
