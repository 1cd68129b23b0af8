import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sharedFixture, until, type Reply, type Fixture, type Wallet } from "./support/create-fixture.ts";
import { startServiceProcess } from "./support/service-process.ts";
import { isCharge, openWire, type ReceivedRequest, type Wire } from "./support/wire.ts";

interface Killing {
  readonly fixture: Fixture;
  readonly wallet: Wallet;
  readonly router: Wire;
  readonly rail: Wire;
  /** The call that reaches the step while its gateway is running. */
  readonly call: Promise<Reply | null>;
  readonly isOfCall: (received: ReceivedRequest) => boolean;
}

/** Brings a call to the step at which the gateway is killed. `before` resolves before the router receives the call. */
interface Step {
  before?(wires: Omit<Killing, "call">): void;
  reach(killing: Killing): Promise<unknown>;
}

interface Outcome {
  /** The client's response to its first call; null if the connection broke. */
  readonly delivered: Reply | null;
  /** Cost of the first call, after the restart. */
  readonly charged: number;
  /** Response to the retry with the same key. */
  readonly again: Reply;
  readonly after: number;
  readonly kinds: readonly string[];
}

/**
 * Brings one call per wallet to its step and kills the gateway. The gateway then restarts in this process, and every
 * client retries.
 */
async function killAt<Name extends string>(instance: string, steps: Readonly<Record<Name, Step>>) {
  const fixture = await sharedFixture();
  await using router = await openWire(fixture.routerUrl);
  await using rail = await openWire(fixture.railUrl);
  const lines = { ROUTER_INTERNAL_URL: router.url, RAIL_INTERNAL_URL: rail.url };
  const environment = { ...fixture.context, GATEWAY_INSTANCE: instance, ...lines };
  await using first = await startServiceProcess(["gateway"], environment);
  const calls = [];
  for (const [name, step] of Object.entries<Step>(steps)) {
    const wallet = await fixture.openWallet();
    const killing = { fixture, wallet, router, rail, isOfCall: ({ body }: ReceivedRequest) => body.includes(name) };
    const options = { token: wallet.token, key: "k", body: { state: `will it rain: ${name}` } };
    step.before?.(killing);
    const call = first.ask("/v1/route", options).catch(() => null);
    await step.reach({ ...killing, call });
    calls.push({ name, wallet, options, call });
  }
  await first.kill();
  // Messages that were in transit at the kill arrive now.
  router.release();
  rail.release();
  await using second = await fixture.openGateway(environment);
  const outcomes: [string, Outcome][] = [];
  for (const { name, wallet, options, call } of calls) {
    const before = await fixture.balance(wallet);
    const again = await second.ask("/v1/route", options);
    const charge = again.headers.get("x-rail-charge");
    await until("the response is delivered", async () => (await fixture.chargeState(wallet, charge)) === "delivered");
    const kinds = (await fixture.entries(wallet)).map(({ kind }) => kind).filter((kind) => kind !== "starter");
    const after = 100_000 - (await fixture.balance(wallet));
    outcomes.push([name, { delivered: await call, charged: 100_000 - before, again, after, kinds }]);
  }
  return (name: Name): Outcome => {
    const [, outcome] = outcomes.find(([key]) => key === name) ?? [];
    if (outcome === undefined) throw new Error(`No call reached the step ${name}.`);
    return outcome;
  };
}

/** One kill serves three calls: the first two do not need the connection to the rail while the third blocks it. */
let death: ReturnType<typeof killedTogether> | null = null;

function killedTogether() {
  return killAt("kill-1", {
    acknowledged: {
      async reach({ fixture, wallet, call }) {
        const charge = (await call)?.headers.get("x-rail-charge") ?? null;
        await until(
          "the response is delivered",
          async () => (await fixture.chargeState(wallet, charge)) === "delivered",
        );
      },
    },
    undecided: {
      before: ({ router, isOfCall }) => router.hold("questions", isOfCall),
      reach: ({ router }) => router.untilBlocked(1),
    },
    underway: {
      before: ({ rail }) => rail.hold("questions", isCharge),
      reach: ({ rail }) => rail.untilBlocked(1),
    },
  });
}

describe("a gateway killed with -9", () => {
  test("before the decision bills nothing", async () => {
    const { delivered, charged, again, after, kinds } = (await (death ??= killedTogether()))("undecided");
    assert.deepEqual([delivered, charged, again.status, after, kinds], [null, 0, 200, 500, ["charge"]]);
  });

  test("with its charge in transit, which arrives later, has billed nothing after its restart", async () => {
    const { delivered, charged, again, after, kinds } = (await (death ??= killedTogether()))("underway");
    assert.deepEqual([delivered, charged, again.status, after], [null, 0, 200, 500]);
    assert.equal(kinds.filter((kind) => kind === "charge").length - kinds.filter((kind) => kind === "void").length, 1);
  });

  test("after the acknowledgement bills the delivered response, and replays it after the restart", async () => {
    const { delivered, charged, again, after, kinds } = (await (death ??= killedTogether()))("acknowledged");
    assert.deepEqual([charged, again.status, after, kinds], [500, 200, 500, ["charge"]]);
    const charges = [delivered, again].map((reply) => reply?.headers.get("x-rail-charge"));
    assert.ok(charges[0]?.startsWith("chg_"));
    assert.deepEqual([charges[1], again.headers.get("idempotency-replayed")], [charges[0], "true"]);
  });

  test("between charge and response has billed nothing after its restart", async () => {
    const outcomeOf = await killAt("kill-2", {
      unanswered: {
        before: ({ rail }) => rail.hold("answers", isCharge),
        reach: ({ rail }) => rail.untilBlocked(1),
      },
    });
    const { delivered, charged, again, after, kinds } = outcomeOf("unanswered");
    assert.deepEqual([delivered, charged, again.status, after], [null, 0, 200, 500]);
    assert.deepEqual(kinds, ["charge", "void", "charge"]);
  });

  test("between response and acknowledgement does not bill that one decision, and charges the next one", async () => {
    const outcomeOf = await killAt("kill-3", {
      unacknowledged: {
        before: ({ rail }) => rail.lose((received) => received.path === "/internal/v1/charges" && !isCharge(received)),
        async reach({ fixture, wallet, call }) {
          await call;
          assert.equal(await fixture.balance(wallet), 99_500);
        },
      },
    });
    const { delivered, charged, again, after, kinds } = outcomeOf("unacknowledged");
    assert.ok(delivered !== null);
    assert.deepEqual([charged, again.status, again.headers.get("idempotency-replayed"), after], [0, 200, null, 500]);
    assert.deepEqual(kinds, ["charge", "void", "charge"]);
  });
});
