/** Starts rail, router and gateway in separate processes, and creates wallets with an unlimited balance. */
import { join } from "node:path";
import { startService } from "./start-service.ts";

export interface ProductOptions {
  readonly folder: string;
  /** PostgreSQL URL; undefined selects SQLite. */
  readonly databaseUrl: string | undefined;
  /** Folder for CPU profiles of the three processes. */
  readonly profile?: string | undefined;
  /** Additional variables for the three processes. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A wallet allows at most 64 concurrent calls, so the clients share several wallets. */
const WALLETS = 4;
const TOP_UP_MICRO = 1_000_000_000;

export async function openProduct({ folder, databaseUrl, profile, environment: more = {} }: ProductOptions) {
  await using opened = new AsyncDisposableStack();
  const data = { TRIPTYCH_DATA: join(folder, databaseUrl === undefined ? "sqlite" : "postgres") };
  const shared = { ...more, ...data, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
  const rail = opened.use(await startService("rail", { environment: { ...shared, RAIL_PORT: "0" }, profile }));
  const router = opened.use(await startService("router", { environment: { ...shared, ROUTER_PORT: "0" }, profile }));
  const environment = {
    ...shared,
    GATEWAY_PORT: "0",
    GATEWAY_RATE: "10000000",
    RAIL_URL: rail.url,
    ROUTER_URL: router.url,
  };
  const gateway = opened.use(await startService("gateway", { environment, profile }));
  const tokens: string[] = [];
  for (let index = 0; index < WALLETS; index++) tokens.push(await openWallet(rail.url, index));
  const parts = opened.move();
  return { rail, router, gateway, tokens, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export type Product = Awaited<ReturnType<typeof openProduct>>;

async function openWallet(railUrl: string, index: number): Promise<string> {
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const json = { "content-type": "application/json", ...headers };
    const answer = await fetch(railUrl + path, { method: "POST", headers: json, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
    return JSON.parse(await answer.text());
  };
  const { wallet_token: token } = await post("/v1/wallets", { email: `bench-${index}@example.test` });
  await post("/v1/topup", { amount_micro: TOP_UP_MICRO }, { "x-rail-wallet": token });
  return String(token);
}
