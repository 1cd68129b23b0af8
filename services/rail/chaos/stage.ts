/** The processes of a campaign: one rail on a store of its own, gateways in front of it, and wallets with money to spend. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReceiptKeys } from "@triptych/client";
import type { Chance } from "../sim/random.ts";
import type { ProxyFault } from "../test/sim/paying-proxy.ts";
import type { ProxyOrder } from "./children/proxy.ts";
import { findPort } from "./find-port.ts";
import { openGatewayRecord, type GatewayRecord } from "./gateway-record.ts";
import type { CallerWallet } from "./records.ts";
import type { StoreUnderTest } from "./settled-ledger.ts";
import { openStandby, type Worker } from "./standby.ts";

export interface StageOptions {
  readonly chance: Chance;
  /** PostgreSQL; SQLite when undefined. */
  readonly databaseUrl?: string | undefined;
  readonly proxies: number;
  readonly fault: ProxyFault | null;
  /** Local part and domain are looked for where no address may stand. */
  readonly email: string;
  readonly onOutput: (text: string) => void;
}

export interface Post {
  /** `rail`, or the instance of a gateway. */
  readonly name: string;
  url(): string;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts another one in its place; resolves when that listens. */
  restart(): Promise<void>;
}

export interface Stage extends AsyncDisposable {
  readonly rail: Post;
  readonly proxies: readonly Post[];
  readonly records: ReadonlyMap<string, GatewayRecord>;
  readonly wallets: readonly CallerWallet[];
  readonly keys: ReceiptKeys;
  readonly store: StoreUnderTest;
  readonly serviceToken: string;
}

const RICH_MICRO = 1_000_000_000;

export async function openStage(options: StageOptions): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-chaos-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, "data");
  await mkdir(dataFolder, { mode: 0o700 });
  const secret = `planted-secret-${Buffer.from(options.chance.bytes(20)).toString("hex")}`;
  const port = await findPort(options.chance);
  const rail = await openRailPost({
    standby: opened.use(openStandby({ program: "rail", spares: 1, onOutput: options.onOutput })),
    environment: {
      TRIPTYCH_DATA: dataFolder,
      TRIPTYCH_SECRET: secret,
      RAIL_PORT: String(port),
      ...(options.databaseUrl !== undefined && { DATABASE_URL: options.databaseUrl }),
    },
  });
  const serviceToken = (await readFile(join(dataFolder, "service-token"), "utf8")).trim();
  const records = new Map<string, GatewayRecord>();
  const order = (instance: string): ProxyOrder => ({
    instance,
    railUrl: rail.url(),
    serviceToken,
    seed: options.chance.between(1, 2 ** 31),
    record: records.get(instance)?.path ?? "",
    fault: options.fault,
  });
  const standby = opened.use(openStandby<ProxyOrder>({ program: "proxy", spares: 2, onOutput: options.onOutput }));
  const proxies = await Promise.all(
    Array.from({ length: options.proxies }, (_, place) => {
      const name = `gw-${place + 1}`;
      records.set(name, openGatewayRecord(join(folder, name)));
      return openPost(name, () => standby.begin(order(name)));
    }),
  );
  const wallets = [
    await openWallet(rail.url(), options.email, RICH_MICRO),
    await openWallet(rail.url(), options.email, RICH_MICRO),
    await openWallet(rail.url(), options.email, 0),
  ];
  const published = await fetch(`${rail.url()}/.well-known/jwks.json`);
  const keys: ReceiptKeys = JSON.parse(await published.text());
  const store = { dataFolder, databaseUrl: options.databaseUrl, secret };
  const parts = opened.move();
  return {
    rail,
    proxies,
    records,
    wallets,
    keys,
    store,
    serviceToken,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

interface RailPost {
  readonly standby: ReturnType<typeof openStandby<Readonly<Record<string, string>>>>;
  readonly environment: Readonly<Record<string, string>>;
}

function openRailPost({ standby, environment }: RailPost): Promise<Post> {
  return openPost("rail", () => standby.begin(environment));
}

async function openPost(name: string, begin: () => Promise<Worker>): Promise<Post> {
  let worker = await begin();
  return {
    name,
    url: () => worker.url,
    kill: () => worker.kill(),
    async restart() {
      worker = await begin();
    },
  };
}

async function openWallet(railUrl: string, email: string, topUpMicro: number): Promise<CallerWallet> {
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(railUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`POST ${path} was answered ${answer.status}`);
    return JSON.parse(await answer.text());
  };
  const { wallet_id: id, wallet_token: token, starter_credit } = await post("/v1/wallets", { email });
  if (topUpMicro > 0) await post("/v1/topup", { amount_micro: topUpMicro }, { "x-rail-wallet": token });
  return { id, token, givenMicro: starter_credit.amount_micro + topUpMicro };
}
