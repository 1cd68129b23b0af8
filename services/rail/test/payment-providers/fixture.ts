/** A rail's payments by Stripe over a ledger in memory, with a clock of their own. */
import assert from "node:assert/strict";
import { openDatabase } from "@triptych/storage";
import { createTopUps } from "../../src/domain/topup-service.ts";
import type { LedgerTopup } from "../../src/domain/topup-state.ts";
import { createStripeProvider } from "../../src/payment-providers/stripe-provider.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { openScene } from "../store/fixture.ts";
import { openStripe, signedEvent, WEBHOOK_SECRET, type StripeEvent } from "../support/stripe-double.ts";

export async function openTill({ webhookSecrets = [WEBHOOK_SECRET] }: { readonly webhookSecrets?: string[] } = {}) {
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase<RailTables>({
    url: "sqlite::memory:",
    schema: "rail",
    migrations: RAIL_MIGRATIONS,
  });
  const scene = opened.use(openScene(database));
  const stripe = opened.use(await openStripe(() => scene.now));
  const provider = createStripeProvider({
    secretKey: "sk_test_double",
    webhookSecrets,
    apiUrl: stripe.url,
    now: () => scene.now,
  });
  const { ledger } = scene;
  const topUps = createTopUps({ ledger, provider, context: scene.context, url: () => "http://rail.test" });

  async function tell(event: StripeEvent, { at = scene.now, secret = WEBHOOK_SECRET } = {}): Promise<void> {
    const { raw, headers } = signedEvent(event, { at, secret });
    assert.ok(provider.verifyWebhook !== null);
    const news = await provider.verifyWebhook(raw, headers);
    if (news !== null) await topUps.hear(news);
  }
  const parts = opened.move();
  return {
    scene,
    ledger,
    stripe,
    provider,
    topUps,
    tell,
    openWallet: (name = "w1") => scene.openWallet(name, 0),
    start: (walletId: string, amountMicro = 5_000_000) => topUps.start({ walletId, amountMicro }),
    balance: scene.balance,
    async state(topup: LedgerTopup) {
      return (await ledger.topup(topup.id))?.state;
    },
    async kinds(walletId: string) {
      const all = { kinds: [], since: null, until: null, before: null, limit: 100 };
      return (await ledger.entries(walletId, all)).map(({ kind }) => kind).toReversed();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
