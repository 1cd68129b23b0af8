/**
 * A minimal gateway: a real HTTP server with fixed decisions, billed with the billing client over a real connection.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import {
  bodyDigest,
  createResponseEncryption,
  createBilling,
  createHttpTransport,
  requestDigest,
  systemTimers,
  walletHashOf,
  confirmDelivery,
  type Billed,
  type BillingTransport,
  type ChargeBatch,
} from "@triptych/billing-client";
import { canonicalJson } from "@triptych/contracts";

export interface ProxyOptions {
  readonly railUrl: string;
  readonly serviceToken: string;
  /** By default, any free port. */
  readonly instance?: string;
  /** Delay before the charge, for the time that a router takes. */
  readonly decide?: () => Promise<void>;
  /** Delay between charge and response, for a slow connection. */
  readonly beforeAnswer?: () => Promise<void>;
  /** Called when a response has been sent (`finish`), before the rail can know. `call` is the caller's ID. */
  readonly onFinish?: (finished: { readonly chargeId: string; readonly call: string }) => void;
  /** Called when a batch is sent, and when its result is known. */
  readonly onBatch?: (what: "sent" | "confirmed" | "lost", batch: ChargeBatch) => void;
  /** Faults of a gateway that the judge must detect. */
  readonly fault?: ProxyFault | undefined;
}

export type ProxyFault = "acknowledges-early" | "answers-first" | "forgets-its-death" | "ignores-caps";

const PATH = "/v1/route";

export async function startPayingProxy({ railUrl, serviceToken, fault, beforeAnswer, ...more }: ProxyOptions) {
  const random = (count: number) => randomBytes(count);
  const transport = createHttpTransport({ url: railUrl, serviceToken: () => serviceToken });
  const billing = createBilling({
    instance: more.instance ?? `gw-${randomBytes(4).toString("hex")}`,
    transport: { ...transport, charge: reporting(transport.charge, more.onBatch) },
    timers: systemTimers,
    now: () => performance.now(),
    random: fault === "forgets-its-death" ? (count) => new Uint8Array(count) : random,
  });
  const seal = createResponseEncryption("the installation's secret", random);
  let decided = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") return void response.end(JSON.stringify(billing.state()));
    const walletHash = walletHashOf(String(request.headers["x-rail-wallet"]));
    const header = request.headers["idempotency-key"];
    const key = typeof header === "string" ? header : undefined;
    const body: unknown = JSON.parse(await text(request));
    const admission = await billing.admit({ walletHash, isKeyed: key !== undefined });
    if (admission.kind !== "admitted" && !isIgnored(admission)) return refuse(response, admission);

    await more.decide?.();
    const answer = canonicalJson({ action: "delegate", route: `route ${++decided}` });
    if (fault === "answers-first") response.writeHead(200).end(answer);
    const req = requestDigest({ method: "POST", path: PATH, body });
    const binding = `${walletHash} ${PATH} ${key} ${req}`;
    const sealed = seal.seal(answer, binding);
    const billed = await billing.charge({ walletHash, key, op: "route", req, res: bodyDigest(answer), sealed });
    if (fault === "answers-first") return billed.kind === "charged" ? billed.delivered() : undefined;
    if (isIgnored(billed)) return void response.writeHead(200).end(answer);
    if (billed.kind === "refused" || billed.kind === "unavailable") return refuse(response, billed);
    if (billed.kind === "replayed") {
      const stored = billed.sealed === null ? null : seal.open(billed.sealed, binding);
      if (stored === null) throw new Error("the kept answer does not open");
      response.writeHead(200, { ...headersOf(billed), "idempotency-replayed": "true" }).end(stored);
      return;
    }
    const call = String(request.headers["x-call"]);
    response.once("finish", () => more.onFinish?.({ chargeId: billed.chargeId, call }));
    if (fault === "acknowledges-early") billed.delivered();
    if (!confirmDelivery(billed, response)) return;
    await beforeAnswer?.();
    const length = Buffer.byteLength(answer);
    response.writeHead(200, { ...headersOf(billed), "content-length": length }).end(answer);
  }

  function isIgnored(outcome: { readonly kind: string; readonly code?: string }): boolean {
    return fault === "ignores-caps" && outcome.kind === "refused" && outcome.code === "cap_reached";
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;

  return {
    billing,
    url,
    ask: (token: string, { key, signal }: { key?: string; signal?: AbortSignal } = {}) =>
      fetch(`${url}${PATH}`, {
        method: "POST",
        headers: { "x-rail-wallet": token, ...(key !== undefined && { "idempotency-key": key }) },
        body: '{ "state": "élan" }',
        ...(signal && { signal }),
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await billing.stop();
    },
  };
}

function reporting(charge: BillingTransport["charge"], onBatch: ProxyOptions["onBatch"]): BillingTransport["charge"] {
  return async (batch) => {
    onBatch?.("sent", batch);
    const results = await charge(batch).catch((error: unknown) => {
      onBatch?.("lost", batch);
      throw error;
    });
    onBatch?.(results === "fenced" ? "lost" : "confirmed", batch);
    return results;
  };
}

function headersOf({ receipt, chargeId, balanceMicro }: Billed) {
  return { "x-rail-receipt": receipt, "x-rail-charge": chargeId, "x-meter-balance-micro": String(balanceMicro) };
}

function refuse(response: ServerResponse, { status, code }: { readonly status: number; readonly code: string }): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code }));
}
