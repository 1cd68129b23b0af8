import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startGatewayProcess } from "./support/gateway-process.ts";
import { commonScene, until, type Scene, type Wallet } from "./support/open-scene.ts";
import { isCharge, openWire, type Wire } from "./support/wire.ts";

const BODY = { state: "will it rain" };

interface Killing {
  readonly scene: Scene;
  readonly wallet: Wallet;
  readonly router: Wire;
  readonly rail: Wire;
  /** Of the call, while it runs. */
  readonly gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
}

/**
 * One call, whose gateway is killed at the step that `killAt` awaits; then the gateway is started again, in this process, and the same
 * client tries again with the same key. Answers what the client has of the first call, and what the wallet was charged before and after
 * the second.
 */
async function killOnce(instance: string, killAt: (killing: Killing, call: Promise<unknown>) => Promise<unknown>) {
  const scene = await commonScene();
  const wallet = await scene.openWallet();
  await using router = await openWire(scene.routerUrl);
  await using rail = await openWire(scene.railUrl);
  const environment = {
    ...scene.surroundings,
    GATEWAY_INSTANCE: instance,
    ROUTER_INTERNAL_URL: router.url,
    RAIL_INTERNAL_URL: rail.url,
  };
  await using first = await startGatewayProcess(environment);
  const asked = { token: wallet.token, key: "k", body: BODY };
  const call = first.ask("/v1/route", asked).catch(() => null);
  await killAt({ scene, wallet, router, rail, gateway: first }, call);
  await first.kill();
  const delivered = await call;
  // What was on its way when the gateway died arrives now.
  router.release();
  rail.release();
  await using second = await scene.openGateway(environment);
  const before = await scene.balance(wallet);
  const again = await second.ask("/v1/route", asked);
  const charge = again.headers.get("x-rail-charge");
  await until("it is delivered", async () => (await scene.chargeState(wallet, charge)) === "delivered");
  const kinds = (await scene.entries(wallet)).map(({ kind }) => kind).filter((kind) => kind !== "starter");
  return { delivered, charged: 100_000 - before, again, after: 100_000 - (await scene.balance(wallet)), kinds };
}

describe("a gateway killed with -9", () => {
  test("before the router has decided has billed nothing", async () => {
    const { delivered, charged, again, after, kinds } = await killOnce("kill-1", async ({ router }) => {
      router.hold();
      await router.untilHeld(1);
    });
    assert.deepEqual([delivered, charged, again.status, after, kinds], [null, 0, 200, 500, ["charge"]]);
  });

  test("while its charge is on the way, which arrives later, has billed nothing once it is back", async () => {
    const { delivered, charged, again, after, kinds } = await killOnce("kill-2", async ({ rail }) => {
      rail.hold("questions", isCharge);
      await rail.untilHeld(1);
    });
    assert.deepEqual([delivered, charged, again.status, after], [null, 0, 200, 500]);
    assert.equal(kinds.filter((kind) => kind === "charge").length - kinds.filter((kind) => kind === "void").length, 1);
  });

  test("after the charge and before the answer has billed nothing once it is back", async () => {
    const { delivered, charged, again, after, kinds } = await killOnce("kill-3", async ({ rail }) => {
      rail.hold("answers", isCharge);
      await rail.untilHeld(1);
    });
    assert.deepEqual([delivered, charged, again.status, after], [null, 0, 200, 500]);
    assert.deepEqual(kinds, ["charge", "void", "charge"]);
  });

  test("after the answer and before its acknowledgement has given that one decision away, and charges the next one", async () => {
    const { delivered, charged, again, after, kinds } = await killOnce(
      "kill-4",
      async ({ rail, scene, wallet }, call) => {
        rail.lose((heard) => heard.path === "/internal/v1/charges" && !isCharge(heard));
        await call;
        assert.equal(await scene.balance(wallet), 99_500);
      },
    );
    assert.ok(delivered !== null);
    assert.deepEqual([charged, again.status, again.headers.get("idempotency-replayed"), after], [0, 200, null, 500]);
    assert.deepEqual(kinds, ["charge", "void", "charge"]);
  });

  test("after the acknowledgement has billed what it delivered, and replays it when it is back", async () => {
    let first: string | null = null;
    const { charged, again, after, kinds } = await killOnce("kill-5", async ({ scene, wallet }, call) => {
      await call;
      await until("it is delivered", async () => {
        const [entry] = (await scene.entries(wallet)).filter(({ kind }) => kind === "charge");
        first = entry.charge_id;
        return (await scene.chargeState(wallet, first)) === "delivered";
      });
    });
    assert.deepEqual([charged, again.status, after, kinds], [500, 200, 500, ["charge"]]);
    assert.deepEqual([again.headers.get("x-rail-charge"), again.headers.get("idempotency-replayed")], [first, "true"]);
  });
});
