/**
 * The gateway as the command line starts it, in a process of the campaign. Beside it, and without a change of it, this process writes down
 * each answer that has left and what became of each batch: what Node itself tells of both.
 */
import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { keepGatewayRecord, say, waitForConfig, type Acknowledged } from "@triptych/rail/chaos";
import { start } from "../../src/service.ts";
import { openFaultyLine, type InjectedFault } from "../faulty-connection.ts";

export interface GatewayLaunch {
  readonly environment: Readonly<Record<string, string>>;
  /** The file of its record. */
  readonly record: string;
  readonly fault: InjectedFault | null;
}

/** Those that are read: some of the others are costly to make. */
const FIELDS = ["request", "response", "path", "body", "statusCode"];

const { environment, record, fault }: GatewayLaunch = JSON.parse(await waitForConfig());
const note = keepGatewayRecord(record);

/** Told before the gateway hears of its own `finish`, and so before the rail can. */
subscribe("http.server.response.finish", (message) => {
  const { request, response } = fieldsOf(message);
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) return;
  const head = headOf(response);
  const charge = /^x-rail-charge: (\S+)/im.exec(head)?.[1];
  const isReplay = /^idempotency-replayed: true/im.test(head);
  if (charge !== undefined && !isReplay)
    note({ kind: "finish", chargeId: charge, tryId: String(request.headers["x-call"]) });
});

/** Requests that carry a batch, with what it tells of answers; null once the rail has refused it. */
const batches = new WeakMap<object, Acknowledged | null>();
subscribe("undici:request:create", (message) => {
  const { request } = fieldsOf(message);
  if (!isObject(request)) return;
  const { path, body } = fieldsOf(request);
  if (path !== "/internal/v1/charges" || !Buffer.isBuffer(body)) return;
  const { boot, ack } = JSON.parse(body.toString());
  batches.set(request, { boot, ...ack });
  note({ kind: "sent" });
});
subscribe("undici:request:headers", (message) => {
  const { request, response } = fieldsOf(message);
  if (isObject(request) && batches.has(request) && fieldsOf(response)["statusCode"] !== 200) batches.set(request, null);
});
subscribe("undici:request:trailers", (message) => {
  const batch = batchOf(message);
  if (batch !== undefined) note(batch === null ? { kind: "lost" } : { kind: "confirmed", ...batch });
});
subscribe("undici:request:error", (message) => {
  if (batchOf(message) !== undefined) note({ kind: "lost" });
});

const railUrl = environment["RAIL_URL"] ?? "";
const inside = fault === null ? railUrl : await openFaultyLine(railUrl, fault);
const { url } = await start({ ...environment, RAIL_INTERNAL_URL: inside });
say(url);

function batchOf(message: unknown): Acknowledged | null | undefined {
  const { request } = fieldsOf(message);
  return isObject(request) ? batches.get(request) : undefined;
}

/** As it was written: headers that are given together with the status are kept nowhere else. */
function headOf(response: ServerResponse): string {
  return String(Reflect.get(response, "_header"));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? Object.fromEntries(FIELDS.map((name) => [name, Reflect.get(value, name)])) : {};
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
