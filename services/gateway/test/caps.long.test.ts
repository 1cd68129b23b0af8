/**
 * Requirement 1 for caps: two gateway processes decide for one wallet, and the rail rejects everything beyond the cap.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { ask, until, untilReady, type Environment, type Reply } from "./support/create-fixture.ts";
import { startServiceProcess } from "./support/service-process.ts";

const CALLS = 1_000;
const CAP_DECISIONS = 10;
const PRICE_MICRO = 500;
const CAP_MICRO = CAP_DECISIONS * PRICE_MICRO;
const STARTER_MICRO = 100_000;
/** On a busy machine, the rail may read the acknowledgement late. */
const DELIVERED_WITHIN_MS = 60_000;
/** Without a pause, retries after 503 would keep the gateways busy. */
const RETRY_MS = 200;
const timeout = 1_200_000;

/** Runs rail and router in one process, and each gateway in its own. */
async function startProcesses(databaseUrl: string | null) {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-gateway-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const base: Environment = {
    TRIPTYCH_DATA: folder,
    LOG_LEVEL: "silent",
    RAIL_PORT: "0",
    ROUTER_PORT: "0",
    GATEWAY_PORT: "0",
    GATEWAY_RATE: "10000000",
    GATEWAY_CONCURRENCY: String(CALLS),
    GATEWAY_MAX_IN_FLIGHT: String(CALLS),
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
  };
  const behind = opened.use(await startServiceProcess(["rail", "router"], base));
  const [railUrl = "", routerUrl = ""] = behind.urls;
  const gateways = [];
  for (const instance of ["caps-1", "caps-2"]) {
    const environment = { ...base, RAIL_URL: railUrl, ROUTER_URL: routerUrl, GATEWAY_INSTANCE: instance };
    const gateway = opened.use(await startServiceProcess(["gateway"], environment));
    await untilReady(gateway.url);
    gateways.push(gateway);
  }
  const parts = opened.move();
  return {
    gateways,
    askRail: async (path: string, options: Parameters<typeof ask>[1]) => {
      const reply = await ask(railUrl + path, options);
      assert.ok(reply.status < 300, reply.text);
      return reply;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

type Processes = Awaited<ReturnType<typeof startProcesses>>;

/**
 * Sends all calls at once, with each token at each gateway. A call without a response, or whose gateway had no router
 * or rail in time, was neither delivered nor billed, so it is repeated.
 */
async function decideAtOnce({ gateways }: Processes, tokens: readonly string[]): Promise<Reply[]> {
  return await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const gateway = gateways[index % gateways.length];
      const token = tokens[Math.floor(index / gateways.length) % tokens.length];
      assert.ok(gateway !== undefined && token !== undefined);
      const body = { state: `will it rain on day ${index}` };
      for (;;) {
        const reply = await gateway.ask("/v1/route", { token, body }).catch(ifNoResponse);
        if (reply !== null && reply.status !== 503) return reply;
        await wait(RETRY_MS);
      }
    }),
  );
}

/**
 * Null if a busy gateway did not accept the connection, or closed it while idle: `fetch` rejects without a response.
 */
function ifNoResponse(error: unknown): null {
  if (error instanceof TypeError && error.message === "fetch failed") return null;
  throw error;
}

const isRefused = ({ status, json }: Reply) => status === 403 && json.code === "cap_reached";

interface Caller {
  readonly main: string;
  readonly tokens: readonly string[];
}

async function assertExact(processes: Processes, { main, tokens }: Caller): Promise<void> {
  const replies = await decideAtOnce(processes, tokens);
  const delivered = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(isRefused);
  assert.equal(delivered.length + refused.length, CALLS);
  assert.ok(delivered.length <= CAP_DECISIONS, `${delivered.length} decisions were delivered`);
  // On a busy machine, a gateway may give up a charge and reverse it. Other calls were rejected in the meantime, so its
  // share of the cap is left.
  const [{ ask: again }] = processes.gateways;
  const options = { token: tokens[0] ?? "", body: { state: "will it rain at last" } };
  await until(
    "the cap is used up",
    async () => {
      if (delivered.length < CAP_DECISIONS)
        delivered.push(...[await again("/v1/route", options)].filter((r) => r.status === 200));
      return delivered.length === CAP_DECISIONS;
    },
    DELIVERED_WITHIN_MS,
  );
  // A decision beyond the cap would show in the balance below.
  await until(
    "the next decision is rejected",
    async () => isRefused(await again("/v1/route", options)),
    DELIVERED_WITHIN_MS,
  );
  for (const { headers, json } of refused) {
    assert.deepEqual([json.limit_micro, json.label, headers.get("x-rail-charge")], [CAP_MICRO, undefined, null]);
  }
  const charges = new Set(delivered.map(({ headers }) => headers.get("x-rail-charge")));
  assert.equal(charges.size, CAP_DECISIONS, "each delivered decision has its own charge");
  for (const charge of charges)
    await until(
      "it is delivered",
      async () => {
        const { json } = await processes.askRail(`/v1/wallets/me/charges/${charge}`, { token: main });
        return json.state === "delivered";
      },
      DELIVERED_WITHIN_MS,
    );
  const { json: wallet } = await processes.askRail("/v1/wallets/me", { token: main });
  assert.equal(wallet.balance_micro, STARTER_MICRO - CAP_MICRO, "exactly the delivered decisions are billed");
  const { json: usage } = await processes.askRail("/v1/wallets/me/usage", { token: main });
  assert.deepEqual(
    usage.items.map(({ decisions, amount_micro }: Record<string, number>) => [decisions, amount_micro]),
    [[CAP_DECISIONS, CAP_MICRO]],
  );
}

async function openWallet({ askRail }: Processes): Promise<string> {
  const { json } = await askRail("/v1/wallets", { body: { email: "owner@example.org" } });
  return String(json.wallet_token);
}

async function openToken({ askRail }: Processes, token: string, caps: object): Promise<string> {
  const { json } = await askRail("/v1/wallets/me/tokens", { token, body: { name: "agent", caps } });
  return String(json.wallet_token);
}

/** In CI, a missing server is a failure: the suite runs, and its first start reports the reason. */
const STORES = [
  { name: "SQLite", skip: false, database: () => Promise.resolve(null) },
  {
    name: "PostgreSQL",
    skip: withoutPostgres(),
    database: async () => (await startPostgres({ durable: false })).createDatabase(),
  },
] as const;

for (const { name, skip, database } of STORES)
  describe(`${CALLS} concurrent decisions at two gateway processes on ${name}`, { skip }, () => {
    test(`deliver and bill exactly ${CAP_DECISIONS} at a cap of ${CAP_DECISIONS}`, { timeout }, async (context) => {
      await using processes = await startProcesses(await database());

      await context.test("of one sub-token", async () => {
        const main = await openWallet(processes);
        const agent = await openToken(processes, main, { total_micro: CAP_MICRO });
        await assertExact(processes, { main, tokens: [agent] });
      });

      await context.test("of a wallet, with its main token and a sub-token that has no cap", async () => {
        const main = await openWallet(processes);
        const agent = await openToken(processes, main, {});
        await processes.askRail("/v1/wallets/me", {
          method: "PATCH",
          token: main,
          body: { caps: { per_day_micro: CAP_MICRO } },
        });
        await assertExact(processes, { main, tokens: [main, agent] });
      });
    });
  });
