/**
 * The processes of a campaign: a rail with its store, the gateways in front of it, and funded wallets. The rail's
 * campaign uses minimal gateways; other campaigns use the product's gateways and routers.
 */
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReceiptKeys } from "@triptych/client";
import type { Chance } from "../simulation/random.ts";
import { findPort } from "./find-port.ts";
import { openGatewayRecord, type GatewayRecord } from "./gateway-record.ts";
import { openPost, type Post } from "./post.ts";
import type { CallerWallet } from "./records.ts";
import type { StoreUnderTest } from "./settled-ledger.ts";
import { openStandby } from "./standby.ts";

export interface StageOptions extends Plan {
  readonly chance: Chance;
  /** Its local part and domain are searched for where no address may appear. */
  readonly email: string;
  readonly onOutput: (text: string) => void;
}

export interface Plan {
  /** PostgreSQL URL; SQLite if undefined. */
  readonly databaseUrl?: string | undefined;
  /**
   * If true (the default), loaded successors of each kind of process are always waiting. If false, successors load
   * before the callers of a round start, which reduces the load on the machine.
   */
  readonly standby?: boolean;
  /** Total cap of the sub-token. By default, it is reached after a few rounds. */
  readonly totalCapMicro?: number;
  readonly openFront: (context: StageContext) => Promise<Front>;
}

/** What a front is started with. */
export interface StageContext {
  readonly chance: Chance;
  readonly onOutput: (text: string) => void;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  readonly standby: boolean;
  /** The secret of the installation. */
  readonly secret: string;
  readonly railUrl: string;
  readonly serviceToken: string;
  /** The record file of this gateway. */
  recordOf(name: string): string;
}

export interface Front extends AsyncDisposable {
  readonly gateways: readonly Post[];
  /** The routers that the gateways depend on. */
  readonly routers: readonly Post[];
  /**
   * The status of a gateway; rejects while it is down. A gateway is at rest when it is registered and the rail has
   * confirmed the end of every charge.
   */
  statusOf(gateway: Post): Promise<{ readonly rests: boolean; readonly summary: string }>;
}

export interface Stage extends Front {
  readonly rail: Post;
  readonly records: ReadonlyMap<string, GatewayRecord>;
  readonly wallets: readonly CallerWallet[];
  readonly keys: ReceiptKeys;
  readonly store: StoreUnderTest;
  readonly serviceToken: string;
}

const RICH_MICRO = 1_000_000_000;
/** These caps are reached after a few rounds. Later charges then depend on a void. */
const DAY_CAP_MICRO = 60_000;
const TOTAL_CAP_MICRO = 20_000;

export async function openStage(options: StageOptions): Promise<Stage> {
  const { chance, email, onOutput, databaseUrl, standby: hasStandby = true, openFront } = options;
  const { totalCapMicro = TOTAL_CAP_MICRO } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-chaos-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, "data");
  await mkdir(dataFolder, { mode: 0o700 });
  const secret = `planted-secret-${Buffer.from(chance.bytes(20)).toString("hex")}`;
  const environment = {
    TRIPTYCH_DATA: dataFolder,
    TRIPTYCH_SECRET: secret,
    RAIL_PORT: String(await findPort()),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  const standby = opened.use(
    openStandby<Readonly<Record<string, string>>>({ program: RAIL, spares: hasStandby ? 1 : 0, onOutput }),
  );
  const rail = await openPost({ name: "rail", kind: "rail" }, standby, () => environment);
  const serviceToken = (await readFile(join(dataFolder, "service-token"), "utf8")).trim();
  const records = new Map<string, GatewayRecord>();
  const recordOf = (name: string) => {
    const record = records.get(name) ?? openGatewayRecord(join(folder, name));
    records.set(name, record);
    return record.path;
  };
  const installation = { dataFolder, databaseUrl, secret, railUrl: rail.url(), serviceToken };
  const context = { ...installation, chance, onOutput, standby: hasStandby, recordOf };
  const front = opened.use(await openFront(context));
  const wallets = [
    await openWallet(rail.url(), email, RICH_MICRO),
    await openWallet(rail.url(), email, RICH_MICRO),
    await openWallet(rail.url(), email, 0),
    ...(await openCapped(rail.url(), email, totalCapMicro)),
  ];
  const published = await fetch(`${rail.url()}/.well-known/jwks.json`);
  const keys: ReceiptKeys = JSON.parse(await published.text());
  const store = { dataFolder, databaseUrl, secret };
  const parts = opened.move();
  return {
    rail,
    gateways: front.gateways,
    routers: front.routers,
    statusOf: (gateway) => front.statusOf(gateway),
    records,
    wallets,
    keys,
    store,
    serviceToken,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const RAIL = new URL("./children/rail.ts", import.meta.url);

async function openWallet(railUrl: string, email: string, topUpMicro: number): Promise<CallerWallet> {
  const { wallet_id: id, wallet_token: token, starter_credit } = await post(`${railUrl}/v1/wallets`, { email });
  if (topUpMicro > 0) await post(`${railUrl}/v1/topup`, { amount_micro: topUpMicro }, { "x-rail-wallet": token });
  const creditedMicro = starter_credit.amount_micro + topUpMicro;
  return { id, token, creditedMicro, tokenId: null, isCapped: false };
}

/** Opens a wallet with a daily cap. Returns its main token, and a sub-token with a total cap. */
async function openCapped(railUrl: string, email: string, totalCapMicro: number): Promise<CallerWallet[]> {
  const wallet = await openWallet(railUrl, email, RICH_MICRO);
  const main = { "x-rail-wallet": wallet.token };
  await send("PATCH", `${railUrl}/v1/wallets/me`, { caps: { per_day_micro: DAY_CAP_MICRO } }, main);
  const body = { name: "capped", caps: { total_micro: totalCapMicro } };
  const { token_id: tokenId, wallet_token: token } = await post(`${railUrl}/v1/wallets/me/tokens`, body, main);
  return [
    { ...wallet, isCapped: true },
    { ...wallet, token, tokenId, isCapped: true },
  ];
}

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return send("POST", url, body, headers);
}

/** Retries with the same key, because a rail on a busy machine may first respond with an error. */
async function send(method: string, url: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const key = randomUUID();
  for (let tried = 1; ; tried++) {
    const answer = await fetch(url, {
      method,
      headers: { "content-type": "application/json", "idempotency-key": key, ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    if (answer.status !== 503 || tried === TRIES)
      throw new Error(`${method} ${url} returned ${answer.status}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const TRIES = 20;
const PAUSE_MS = 250;
