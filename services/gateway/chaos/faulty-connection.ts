/**
 * A proxy to the rail that injects faults, to prove that the judge detects them. The gateway itself has no switch for
 * them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Acknowledges a response as soon as it is charged; responds before the charge with a forged receipt; reuses the boot
 * ID of the previous process with attempts from 1; or delivers a decision that a cap rejected, with the genuine receipt
 * of another charge.
 */
export type InjectedFault = "acknowledges-early" | "answers-first" | "forgets-its-death" | "ignores-caps";

const CHARGES_PATH = "/internal/v1/charges";
const RICH_MICRO = 1_000_000;
const RESOLVE_PATH = "/internal/v1/wallets/resolve";

/** Returns its address. Runs as long as its process. */
export async function openFaultyLine(railUrl: string, fault: InjectedFault): Promise<string> {
  const uncap = capRemover();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ask = askerOf(railUrl, request);
    const body = await text(request);
    const forwarded =
      fault === "forgets-its-death" ? body.replace(/"boot":"[^"]*"/, '"boot":"b-always-the-same"') : body;
    const isSale = request.url === CHARGES_PATH && body.includes('"wallet_hash"');
    if (isSale && fault === "answers-first") {
      respond(response, { status: 200, type: "application/json", body: inventedResults(body) });
      await ask(forwarded);
      return;
    }
    const answer = await ask(forwarded);
    if (fault === "ignores-caps" && answer.status === 200) return respond(response, uncap(request.url, answer));
    if (isSale && fault === "acknowledges-early") await ask(earlyAck(body));
    respond(response, answer);
  }
}

interface UpstreamResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function askerOf(railUrl: string, { url = "", method = "", headers }: IncomingMessage) {
  return async (body: string): Promise<UpstreamResponse> => {
    const answer = await fetch(railUrl + url, {
      method,
      headers: { "content-type": "application/json", authorization: headers.authorization ?? "" },
      ...(body !== "" && { body }),
    });
    return {
      status: answer.status,
      type: answer.headers.get("content-type") ?? "application/json",
      body: await answer.text(),
    };
  };
}

function respond(response: ServerResponse, { status, type, body }: UpstreamResponse): void {
  response.writeHead(status, { "content-type": type }).end(body);
}

/** Marks all charges of this batch as delivered. */
function earlyAck(body: string): string {
  const { instance, boot, ack, charges } = JSON.parse(body);
  const last = charges.reduce((most: number, { seq }: { seq: number }) => Math.max(most, seq), ack.through);
  return JSON.stringify({ instance, boot, ack: { through: last, also: [] }, voids: [], charges: [] });
}

/** Replaces every rejection by a cap with the last accepted charge. */
function capRemover() {
  let charged: Readonly<Record<string, unknown>> | null = null;
  return (path: string | undefined, answer: UpstreamResponse): UpstreamResponse => {
    const body = JSON.parse(answer.body);
    if (path === RESOLVE_PATH && body.reached !== null)
      return { ...answer, body: JSON.stringify({ ...body, reached: null, balance_micro: RICH_MICRO }) };
    if (path !== CHARGES_PATH) return answer;
    const results = body.results.map(
      (result: { readonly seq: number; readonly status: number; readonly code?: string }) => {
        if (result.status === 201) charged = { ...result };
        return result.code === "cap_reached" && charged !== null ? { ...charged, seq: result.seq } : result;
      },
    );
    return { ...answer, body: JSON.stringify({ results }) };
  };
}

function inventedResults(body: string): string {
  const { charges } = JSON.parse(body);
  const results = charges.map(({ seq }: { seq: number }) => ({
    seq,
    status: 201,
    charge_id: `chg_invented_${seq}`,
    amount_micro: 500,
    balance_micro: 500,
    wallet_seq: seq,
    receipt: "invented.invented.invented",
  }));
  return JSON.stringify({ results });
}
