/**
 * The gateway as the command line starts it, in a process of the campaign. Beside it, and without a change of it, this process writes down
 * each answer that has left and each batch that the rail has answered: what Node itself tells of both. It does so at once and past any
 * buffer of its own, so what it wrote outlives a kill, and is what the ledger is held against.
 */
import { subscribe } from "node:diagnostics_channel";
import { openSync, writeSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { say, waitForOrder } from "@triptych/rail/chaos";
import { start } from "../../src/service.ts";
import { openFaultyLine, type Fault } from "../faulty-line.ts";

export interface GatewayOrder {
  readonly environment: Readonly<Record<string, string>>;
  /** Lines are added to it: `finish <time> <charge> <call>` and `batch <time> <milliseconds>`. */
  readonly record: string;
  readonly fault: Fault | null;
}

/** Those that are read: some of the others are costly to make. */
const FIELDS = ["request", "response", "path"];

const { environment, record, fault }: GatewayOrder = JSON.parse(await waitForOrder());
const file = openSync(record, "a");
const note = (what: string, more: string) =>
  void writeSync(file, `${what} ${(performance.timeOrigin + performance.now()).toFixed(2)} ${more}\n`);

/** Told before the gateway hears of its own `finish`, and so before the rail can. */
subscribe("http.server.response.finish", (told) => {
  const { request, response } = fieldsOf(told);
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) return;
  const head = headOf(response);
  const charge = /^x-rail-charge: (\S+)/im.exec(head)?.[1];
  const isReplay = /^idempotency-replayed: true/im.test(head);
  if (charge !== undefined && !isReplay) note("finish", `${charge} ${String(request.headers["x-call"])}`);
});

const batches = new WeakMap<object, number>();
subscribe("undici:request:create", (told) => {
  const { request } = fieldsOf(told);
  if (isObject(request) && fieldsOf(request)["path"] === "/internal/v1/charges")
    batches.set(request, performance.now());
});
subscribe("undici:request:trailers", (told) => {
  const { request } = fieldsOf(told);
  const begun = isObject(request) ? batches.get(request) : undefined;
  if (begun !== undefined) note("batch", (performance.now() - begun).toFixed(2));
});

const railUrl = environment["RAIL_URL"] ?? "";
const inside = fault === null ? railUrl : await openFaultyLine(railUrl, fault);
const { url } = await start({ ...environment, RAIL_INTERNAL_URL: inside });
say(url);

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
