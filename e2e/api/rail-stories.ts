/** Calls the operations of the rail. This takes three rails: with test payments, with manual payments, and with Stripe. */
import { createHash, createHmac } from "node:crypto";
import type { Call } from "./calls.ts";

const BY = { operator: "ops@example.org", reason: "request of the customer, ticket 4711" };
const GATEWAY = { instance: "gateway-1", boot: "boot-1" };
const sha256 = (text: string, encoding: "hex" | "base64url") => createHash("sha256").update(text).digest(encoding);

export interface RailTokens {
  readonly admin: string;
  readonly service: string;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The owner of a wallet, the gateway, and the operator. */
export async function walletStory(call: Call, { admin, service }: RailTokens): Promise<void> {
  const created = (await call("createWallet", { body: { email: "ada@example.org", label: "Production" } })).json;
  const headers = { "X-Rail-Wallet": String(created.wallet_token) };
  await call("createTopup", { headers, body: { amount_micro: 100_000_000 } });
  const topups = (await call("listTopups", { headers })).json.items;
  await call("getTopup", { headers, params: { id: topups[0].topup_id } });
  await call("getCatalog");
  await call("createPurchase", { headers, body: { sku: "custom-head", ref: "support_desk" } });
  await call("listEntitlements", { headers });
  const chargeId = await chargeStory(call, { service, token: String(created.wallet_token) });
  const params = { id: chargeId };
  await call("getWallet", { headers });
  const auto_topup = { threshold_micro: 2_000_000, amount_micro: 20_000_000, max_per_month: 3 };
  const caps = { per_month_micro: 50_000_000 };
  const settings = { label: "Production EU", low_balance_micro: 5_000_000, auto_topup, caps };
  await call("changeWallet", { headers, body: settings });
  await call("listEntries", { headers, query: "?limit=2" });
  await call("getWalletUsage", { headers, query: "?by=op" });
  await call("getCharge", { headers, params });
  await call("getReceipt", { headers, params });
  const month = new Date().toISOString().slice(0, 7);
  await call("getStatement", { headers, query: `?month=${month}` });
  await call("getStatement", { headers, query: `?month=${month}&format=csv` });
  await call("getJwks");
  await call("getRevokedKeys");
  await operatorStory(call, { admin, walletId: String(created.wallet_id), chargeId });
  await tokenStory(call, { service, headers });
  const rotated = (await call("rotateToken", { headers, body: { grace_seconds: 3_600 } })).json;
  await call("closeWallet", { headers: { "X-Rail-Wallet": rotated.wallet_token } });
}

/** A sub-token for an agent, which reaches its cap. */
async function tokenStory(
  call: Call,
  { service, headers }: { readonly service: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const caps = { per_day_micro: 10_000, total_micro: 500 };
  const agent = { name: "support agent", caps, ops: ["route", "decide"] };
  const created = (await call("createWalletToken", { headers, body: agent })).json;
  const own = { "X-Rail-Wallet": String(created.wallet_token) };
  const charge = {
    wallet_hash: sha256(String(created.wallet_token), "hex"),
    op: "route",
    qty: 1,
    price_id: "decision-v1",
    req: sha256("request", "base64url"),
    res: sha256("response", "base64url"),
  };
  const charges = [2, 3].map((seq) => ({ seq, ...charge }));
  await call("chargeBatch", { headers: bearer(service), body: { ...GATEWAY, charges } });
  await call("chargeBatch", { headers: bearer(service), body: { ...GATEWAY, ack: { through: 3 } } });
  await call("getWallet", { headers: own });
  await call("listEntries", { headers: own });
  await call("getWalletUsage", { headers, query: "?by=token" });
  await call("listWalletTokens", { headers });
  await call("revokeWalletToken", { headers, params: { id: created.token_id } });
}

/** Sends what a gateway sends; returns the ID of a delivered charge. */
async function chargeStory(
  call: Call,
  { service, token }: { readonly service: string; readonly token: string },
): Promise<string> {
  const headers = bearer(service);
  const wallet = { wallet_hash: sha256(token, "hex") };
  const subject = { key: "order-4711", op: "route", req: sha256("request", "base64url") };
  await call("helloInstance", { headers, body: GATEWAY });
  await call("resolveWallet", { headers, body: wallet });
  const charge = {
    seq: 1,
    ...wallet,
    ...subject,
    qty: 1,
    price_id: "decision-v1",
    res: sha256("response", "base64url"),
  };
  const batch = await call("chargeBatch", { headers, body: { ...GATEWAY, charges: [charge] } });
  await call("chargeBatch", { headers, body: { ...GATEWAY, ack: { through: 1 } } });
  await call("findDelivered", { headers, body: { ...wallet, ...subject } });
  const { wallet_hash } = wallet;
  await call("checkEntitlement", { headers, query: `?wallet_hash=${wallet_hash}&sku=custom-head&ref=support_desk` });
  return batch.json.results[0].charge_id;
}

interface Operated {
  readonly admin: string;
  readonly walletId: string;
  readonly chargeId: string;
}

async function operatorStory(call: Call, { admin, walletId, chargeId }: Operated): Promise<void> {
  const headers = bearer(admin);
  const params = { id: walletId };
  await call("adminCreateWallet", { headers, body: { email: "grace@example.org", label: "Grace" } });
  await call("adminGetWallet", { headers, params });
  await call("adminFreezeWallet", { headers, params, body: BY });
  await call("adminUnfreezeWallet", { headers, params, body: BY });
  await call("adminAdjustWallet", { headers, params, body: { amount_micro: 1_000_000, ...BY } });
  await call("adminListTopups", { headers, query: "?limit=1" });
  await call("adminGetCharge", { headers, params: { id: chargeId } });
  await call("adminRefundCharge", { headers, params: { id: chargeId }, body: BY });
  await call("adminListKeys", { headers });
  const keys = (await call("adminRotateKeys", { headers, body: BY })).json.items;
  const next = keys.find((key: { readonly state: string }) => key.state === "next");
  await call("adminRevokeKey", { headers, params: { id: next.kid }, body: BY });
  await call("adminGetClock", { headers });
  await call("adminConfirmClock", { headers, body: BY });
  await call("adminListActions", { headers, query: "?action=adjust" });
  await call("adminAudit", { headers });
  const { heads } = (await call("adminReadAnchor", { headers })).json;
  await call("adminCheckAnchor", { headers, body: { heads } });
}

export interface Mailbox {
  /** The code in the newest mail that has a link of this kind. */
  code(link: "verify" | "recover"): Promise<string>;
}

/** Payments that an operator confirms, and links in emails. */
export async function manualPaymentStory(call: Call, admin: string, mailbox: Mailbox): Promise<void> {
  const created = (await call("createWallet", { body: { email: "ada@example.org", label: "Production" } })).json;
  await call("verifyWallet", { body: { code: await mailbox.code("verify") } });
  const headers = { "X-Rail-Wallet": String(created.wallet_token) };
  const topup = (await call("createTopup", { headers, body: { amount_micro: 20_000_000 } })).json;
  const params = { id: String(topup.topup_id) };
  await call("adminSettleTopup", { headers: bearer(admin), params, body: BY });
  await call("adminRefundTopup", { headers: bearer(admin), params, body: BY });
  await call("recoverWallet", { body: { email: "ada@example.org" } });
  await call("redeemRecovery", { body: { code: await mailbox.code("recover") } });
}

/** An event of a type that the rail does not use, signed as Stripe signs it. */
export async function webhookStory(call: Call, secret: string): Promise<void> {
  const event = { id: "evt_1", object: "event", type: "customer.created", data: { object: { object: "customer" } } };
  const time = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret)
    .update(`${time}.${JSON.stringify(event)}`)
    .digest("hex");
  await call("stripeWebhook", { body: event, headers: { "Stripe-Signature": `t=${time},v1=${signature}` } });
}
