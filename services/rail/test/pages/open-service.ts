/** A real rail with test payments for the page tests; stops on disposal. */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { builtWebSite } from "@triptych/web/build";
import { start } from "../../src/service.ts";

const Credentials = Type.Object({ rail: Type.Object({ service_token: Type.String() }) });
const Created = Type.Object({ wallet_token: Type.String(), wallet_id: Type.String() });
const Results = Type.Object({
  results: Type.Array(Type.Object({ charge_id: Type.String(), receipt: Type.String() })),
});

export const ANSWER = '{"action":"tool_call","route":"trains"}';
const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/** A rail after its first start. */
export async function openService(more: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "triptych-wallet-"));
  const environment = { TRIPTYCH_DATA: folder, RAIL_PORT: "0", LOG_LEVEL: "silent", NODE_ENV: "test", ...more };
  const service = await start(environment, { walletFolder: builtWebSite("wallet") });
  const written: unknown = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
  const { service_token: serviceToken } = Value.Parse(Credentials, written).rail;
  let seq = 0;
  let boots = 0;

  async function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const more = { "Content-Type": "application/json", ...headers };
    const answer = await fetch(service.url + path, { method: "POST", body: JSON.stringify(body), headers: more });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
  const asGateway = { Authorization: `Bearer ${serviceToken}` };

  return {
    url: service.url,
    async createWallet() {
      return Value.Parse(Created, await post("/v1/wallets", { email: "owner@example.test", label: "my agent" }));
    },
    /** Charges this many decisions, and delivers all of them except the last one, which is voided. */
    async decide(token: string, count: number) {
      // A new boot for each call: other tests in between may take longer than a lease.
      const gateway = { instance: "gw-1", boot: `b-${++boots}` };
      await post("/internal/v1/instances", gateway, asGateway);
      const wallet_hash = createHash("sha256").update(token).digest("hex");
      const about = { wallet_hash, op: "route", qty: 1, price_id: "decision-v1" };
      const charges = Array.from({ length: count }, () => {
        seq += 1;
        return { ...about, seq, req: digestOf(`request ${seq}`), res: digestOf(ANSWER) };
      });
      const { results } = Value.Parse(Results, await post("/internal/v1/charges", { ...gateway, charges }, asGateway));
      const finished = { ack: { through: seq }, voids: [{ seq, reason: "client_gone" }] };
      await post("/internal/v1/charges", { ...gateway, ...finished }, asGateway);
      return results;
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
