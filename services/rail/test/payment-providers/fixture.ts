/** Stripe payments of a rail over an in-memory ledger, with its own clock. */
import assert from "node:assert/strict";
import { openDatabase } from "@triptych/storage";
import { createTopUps } from "../../src/domain/topup-service.ts";
import type { PaymentProvider } from "../../src/domain/payments.ts";
import type { LedgerTopup } from "../../src/domain/topup-state.ts";
import { createStripeProvider } from "../../src/payment-providers/stripe-provider.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { createFixture } from "../store/fixture.ts";
import { openStripe, signedEvent, WEBHOOK_SECRET, type StripeEvent } from "../support/stripe-double.ts";

export async function createStripeFixture({
  webhookSecrets = [WEBHOOK_SECRET],
}: { readonly webhookSecrets?: string[] } = {}) {
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase<RailTables>({
    url: "sqlite::memory:",
    schema: "rail",
    migrations: RAIL_MIGRATIONS,
  });
  const ledgerFixture = opened.use(createFixture(database));
  const stripe = opened.use(await openStripe(() => ledgerFixture.now));
  const provider = createStripeProvider({
    secretKey: "sk_test_double",
    webhookSecrets,
    apiUrl: stripe.url,
    now: () => ledgerFixture.now,
  });
  const { ledger } = ledgerFixture;
  const stopped: string[] = [];
  const parts = {
    ledger,
    context: ledgerFixture.context,
    url: () => "http://rail.test",
    onAutoTopupStopped: async ({ id }: LedgerTopup) => void stopped.push(id),
  };
  const topUps = createTopUps({ ...parts, provider });

  async function deliverEvent(
    event: StripeEvent,
    { at = ledgerFixture.now, secret = WEBHOOK_SECRET } = {},
  ): Promise<void> {
    const { raw, headers } = signedEvent(event, { at, secret });
    assert.ok(provider.verifyWebhook !== null);
    const news = await provider.verifyWebhook(raw, headers);
    if (news !== null) await topUps.handleEvent(news);
  }
  const resources = opened.move();
  return {
    ledgerFixture,
    ledger,
    stripe,
    provider,
    topUps,
    /** IDs of the automatic top-ups that ended without success. */
    stopped,
    /** Another process on the same ledger. */
    restarted: (other: PaymentProvider = provider) => createTopUps({ ...parts, provider: other }),
    deliverEvent,
    openWallet: (name = "w1") => ledgerFixture.openWallet(name, 0),
    start: (walletId: string, amountMicro = 5_000_000) => topUps.start({ walletId, amountMicro }),
    balance: ledgerFixture.balance,
    async state(topup: LedgerTopup) {
      return (await ledger.topup(topup.id))?.state;
    },
    async kinds(walletId: string) {
      const all = { kinds: [], since: null, until: null, before: null, limit: 100 };
      return (await ledger.entries(walletId, all)).map(({ kind }) => kind).toReversed();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
