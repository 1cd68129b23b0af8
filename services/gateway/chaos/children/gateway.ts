/**
 * The gateway, started as the CLI does, in a process of the campaign. This process does not modify it, but records each
 * sent response and the outcome of each batch through Node's diagnostics channels.
 */
import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { keepGatewayRecord, say, waitForConfig, type Acknowledged } from "@triptych/rail/chaos";
import { isRecord } from "@triptych/util";
import { start } from "../../src/service.ts";
import { openFaultyLine, type InjectedFault } from "../faulty-connection.ts";

export interface GatewayLaunch {
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the record file. */
  readonly record: string;
  readonly fault: InjectedFault | null;
}

/** Only the fields that are read here, because computing some others is expensive. */
const FIELDS = ["request", "response", "path", "body", "statusCode"];

const { environment, record, fault }: GatewayLaunch = JSON.parse(await waitForConfig());
const note = keepGatewayRecord(record);

/** Fires before the gateway's own `finish` event, so before the rail can know about the delivery. */
subscribe("http.server.response.finish", (message) => {
  const { request, response } = fieldsOf(message);
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) return;
  const head = headOf(response);
  const charge = /^x-rail-charge: (\S+)/im.exec(head)?.[1];
  const isReplay = /^idempotency-replayed: true/im.test(head);
  if (charge !== undefined && !isReplay)
    note({ kind: "finish", chargeId: charge, tryId: String(request.headers["x-call"]) });
});

/** Requests that contain a batch, with its acknowledgements; null once the rail has rejected the batch. */
const batches = new WeakMap<object, Acknowledged | null>();
subscribe("undici:request:create", (message) => {
  const { request } = fieldsOf(message);
  if (!isRecord(request)) return;
  const { path, body } = fieldsOf(request);
  if (path !== "/internal/v1/charges" || !Buffer.isBuffer(body)) return;
  const { boot, ack } = JSON.parse(body.toString());
  batches.set(request, { boot, ...ack });
  note({ kind: "sent" });
});
subscribe("undici:request:headers", (message) => {
  const { request, response } = fieldsOf(message);
  if (isRecord(request) && batches.has(request) && fieldsOf(response)["statusCode"] !== 200) batches.set(request, null);
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
  return isRecord(request) ? batches.get(request) : undefined;
}

/** Reads the raw head, because headers passed together with the status are stored nowhere else. */
function headOf(response: ServerResponse): string {
  return String(Reflect.get(response, "_header"));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? Object.fromEntries(FIELDS.map((name) => [name, Reflect.get(value, name)])) : {};
}
