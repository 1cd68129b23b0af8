import assert from "node:assert/strict";
import { railContract } from "@triptych/contracts";
import { test } from "node:test";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

const BY = { operator: "grace", reason: "as agreed on the phone" };

async function deliveredCharge(fixture: RailFixture, token: string): Promise<string> {
  await fixture.hello();
  const charge = fixture.charge(token);
  const [{ charge_id }] = (await fixture.batch({ charges: [charge] })).json().results;
  await fixture.batch({ ack: { through: charge.seq } });
  return charge_id;
}

onEachStore("the operator's API", (createRailFixture) => {
  test("operator endpoints accept only the operator token", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    for (const bearer of [undefined, token, fixture.serviceToken, "rail_admin_x"]) {
      const answer = await fixture.ask(`/v1/admin/wallets/${id}`, bearer === undefined ? {} : { bearer });
      assert.deepEqual([answer.statusCode, answer.json().code], [401, "admin_token_required"]);
    }
    const response = await fixture.asOperator(`/v1/admin/wallets/${id}`);
    assert.deepEqual([response.statusCode, response.headers["cache-control"]], [200, "no-store"]);
  });

  test("a frozen wallet is not charged until it is unfrozen; a closed one stays closed", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    await fixture.hello();
    const act = (action: string, wallet = id) =>
      fixture.asOperator(`/v1/admin/wallets/${wallet}/${action}`, { body: BY });
    const charge = async () => (await fixture.batch({ charges: [fixture.charge(token)] })).json().results[0].status;
    assert.equal((await act("freeze")).json().status, "frozen");
    assert.equal((await act("freeze")).json().status, "frozen", "twice is as good as once");
    assert.equal(await charge(), 403);
    assert.equal((await act("unfreeze")).json().status, "active");
    assert.equal(await charge(), 201);
    assert.equal((await act("freeze", "wal_none")).json().code, "wallet_not_found");
    await fixture.ask("/v1/wallets/me", { method: "DELETE", token });
    for (const action of ["freeze", "unfreeze"]) assert.equal((await act(action)).json().code, "wallet_closed");
    const faults = await fixture.asOperator(`/v1/admin/wallets/${id}/freeze`, { body: { reason: "" } });
    assert.deepEqual(
      faults
        .json()
        .errors.map((issue: { path: string }) => issue.path)
        .sort(),
      ["/operator", "/reason"],
    );
  });

  test("an adjustment is an entry with operator and reason, happens once per key, and never takes the balance below zero", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    const adjust = (amount_micro: number, key?: string) =>
      fixture.asOperator(`/v1/admin/wallets/${id}/adjust`, { body: { amount_micro, ...BY }, ...(key && { key }) });
    assert.equal((await adjust(30_000, "a-1")).json().paid_micro, 30_000);
    assert.equal((await adjust(30_000, "a-1")).headers["idempotency-replayed"], "true");
    const low = await adjust(-30_001);
    assert.deepEqual([low.statusCode, low.json().code, low.json().paid_micro], [409, "balance_too_low", 30_000]);
    assert.equal((await adjust(-30_000)).json().paid_micro, 0);
    assert.equal((await adjust(0)).json().errors[0].path, "/amount_micro");
    const { items } = (await fixture.ask("/v1/wallets/me/entries?kind=adjustment", { token })).json();
    assert.deepEqual(
      items.map((item: { op: string }) => item.op),
      [BY.reason, BY.reason],
    );
    const transfers = await fixture.database.db
      .selectFrom("transfer")
      .selectAll()
      .where("operator", "is not", null)
      .execute();
    assert.deepEqual([transfers.length, transfers[0]?.operator, transfers[0]?.reason], [2, BY.operator, BY.reason]);
    assert.equal(
      (await fixture.asOperator("/v1/admin/wallets/wal_none/adjust", { body: { amount_micro: 1, ...BY } })).statusCode,
      404,
    );
    await fixture.ask("/v1/wallets/me", { method: "DELETE", token });
    assert.equal((await adjust(1)).json().code, "wallet_closed");
  });

  test("a manual payment is settled by the operator once, and a refund reverses it", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const { token } = await fixture.openWallet();
    const made = (await fixture.ask("/v1/topup", { token, body: { amount_micro: 50_000 } })).json();
    assert.deepEqual([made.status, made.provider, made.balance_micro], ["pending", "manual", 100_000]);
    const act = (action: string, id = made.topup_id) =>
      fixture.asOperator(`/v1/admin/topups/${id}/${action}`, { body: BY });
    const early = await act("refund");
    assert.deepEqual([early.statusCode, early.json().code, early.json().topup_status], [409, "topup_state", "pending"]);
    assert.deepEqual(
      [(await act("settle")).json().status, (await act("settle")).json().code],
      ["succeeded", "topup_state"],
    );
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().paid_micro, 50_000);
    assert.equal((await act("refund")).json().status, "refunded");
    assert.equal((await act("refund")).statusCode, 409);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().paid_micro, 0);
    assert.equal((await act("settle", "top_none")).json().code, "topup_not_found");
    assert.equal((await act("refund", "top_none")).json().code, "topup_not_found");
    const list = async (query: string) => (await fixture.asOperator(`/v1/admin/topups?${query}`)).json();
    assert.equal((await list("status=refunded")).items.length, 1);
    assert.equal((await list("status=pending,succeeded")).items.length, 0);
    assert.equal((await list("wallet_id=wal_other")).items.length, 0);
    assert.equal((await list("status=lost&limit=300")).errors.length, 2);
  });

  test("refunds a delivered charge at most once, and rejects an undelivered one", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const id = await deliveredCharge(fixture, token);
    const refund = (charge: string) => fixture.asOperator(`/v1/admin/charges/${charge}/refund`, { body: BY });
    assert.equal((await refund(id)).json().state, "refunded");
    const again = await refund(id);
    assert.deepEqual([again.statusCode, again.json().code, again.json().state], [409, "charge_state", "refunded"]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 100_000);
    const [{ charge_id: posted }] = (await fixture.batch({ charges: [fixture.charge(token)] })).json().results;
    assert.equal((await refund(posted)).json().state, "posted");
    assert.equal((await refund("chg_none")).json().code, "charge_not_found");
    assert.equal((await fixture.asOperator("/v1/admin/charges/chg_none")).json().code, "charge_not_found");
    assert.equal((await fixture.asOperator(`/v1/admin/charges/${id}`)).json().charge_id, id);
  });

  test("a refund to expired credit expires immediately: entries, statement and wallet agree", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const [{ charge_id }] = (await fixture.batch({ charges: [fixture.charge(token)] })).json().results;
    await fixture.batch({ ack: { through: 1 } });
    fixture.pass(91 * 86_400_000);
    await fixture.sweep();
    const body = { operator: "olivia", reason: "a complaint" };
    assert.equal((await fixture.asOperator(`/v1/admin/charges/${charge_id}/refund`, { body })).statusCode, 200);
    const { items } = (await fixture.ask("/v1/wallets/me/entries?limit=2", { token })).json();
    assert.deepEqual(
      items.map(({ kind, balance_after_micro }: Record<string, unknown>) => [kind, balance_after_micro]),
      [
        ["promo_expired", 0],
        ["refund", 500],
      ],
    );
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 0);
    assert.equal((await fixture.asOperator("/v1/admin/audit", { method: "POST" })).json().ok, true);
  });

  test("lists, rotates and revokes keys; old receipts verify after a rotation", async () => {
    await using fixture = await createRailFixture();
    const keys = async () => (await fixture.asOperator("/v1/admin/keys")).json().items;
    const [first] = await keys();
    assert.equal(first.state, "active");
    const rotate = () => fixture.asOperator("/v1/admin/keys/rotate", { body: BY });
    assert.deepEqual(
      (await rotate()).json().items.map((key: { state: string }) => key.state),
      ["next", "active"],
    );
    assert.deepEqual([(await rotate()).statusCode, (await rotate()).json().code], [409, "rotation_pending"]);
    const revoked = await fixture.asOperator(`/v1/admin/keys/${first.kid}/revoke`, { body: BY });
    assert.equal(revoked.json().items.find((key: { kid: string }) => key.kid === first.kid).state, "revoked");
    const published = (await fixture.ask("/.well-known/revoked-keys.json")).json().keys;
    assert.deepEqual(
      published.map((key: { kid: string }) => key.kid),
      [first.kid],
    );
    assert.equal((await fixture.asOperator("/v1/admin/keys/none/revoke", { body: BY })).json().code, "key_not_found");
  });

  test("the audit reports its counts and every violation", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    await deliveredCharge(fixture, token);
    const misled = await fixture.asOperator("/v1/admin/audit", { method: "POST", body: { fast: true } });
    assert.deepEqual([misled.statusCode, misled.json().errors[0].path], [400, "/fast"]);
    const audit = async () => (await fixture.asOperator("/v1/admin/audit", { method: "POST" })).json();
    assert.deepEqual(await audit(), { ok: true, transfers: 2, entries: 2, receipts: 1, violations: [] });
    await fixture.database.db.updateTable("wallet").set({ paid_micro: 7 }).where("id", "=", id).execute();
    const broken = await audit();
    assert.equal(broken.ok, false);
    assert.ok(
      broken.violations.some(
        ({ invariant, subject }: Record<string, string>) => invariant === "L2" && subject?.includes(id),
      ),
    );
  });

  test("lists its actions with operator and reason, by wallet, operator and action, page by page", async () => {
    await using fixture = await createRailFixture();
    const { id } = await fixture.openWallet();
    const other = await fixture.openWallet();
    await fixture.asOperator(`/v1/admin/wallets/${id}/adjust`, { body: { amount_micro: 30_000, ...BY } });
    await fixture.asOperator(`/v1/admin/wallets/${id}/freeze`, { body: { ...BY, operator: "hopper" } });
    await fixture.asOperator(`/v1/admin/wallets/${other.id}/freeze`, { body: BY });
    await fixture.asOperator("/v1/admin/keys/rotate", { body: BY });
    assert.equal((await fixture.asOperator("/v1/admin/keys/rotate", { body: BY })).statusCode, 409);
    const list = async (query = "") => (await fixture.asOperator(`/v1/admin/actions?${query}`)).json();
    const actions = (page: { readonly items: readonly Record<string, unknown>[] }) =>
      page.items.map(({ action }) => String(action));
    const whole = await list();
    assert.deepEqual(
      actions(whole).toSorted(),
      ["adjust", "freeze", "freeze", "rotate_keys"],
      "a refused action is none",
    );
    const [adjusted] = (await list("action=adjust")).items;
    const { action_id, at, ...rest } = adjusted;
    assert.match(action_id, /^ent_/);
    assert.equal(at, new Date(fixture.now()).toISOString());
    assert.deepEqual(rest, { action: "adjust", wallet_id: id, subject: null, amount_micro: 30_000, ...BY });
    assert.deepEqual(actions(await list("operator=hopper")), ["freeze"]);
    assert.deepEqual(actions(await list(`wallet_id=${id}`)).toSorted(), ["adjust", "freeze"]);
    const first = await list("limit=3");
    const second = await list(`limit=3&cursor=${first.next_cursor}`);
    assert.deepEqual([[...first.items, ...second.items], second.next_cursor], [whole.items, null]);
    assert.equal((await list("action=gift&limit=300&cursor=x")).errors.length, 3);
    assert.equal((await fixture.ask("/v1/admin/actions", { token: other.token })).statusCode, 401);
  });

  test("a read token can read and audit, and gets 403 for every change, without an effect", async () => {
    await using fixture = await createRailFixture();
    const { id } = await fixture.openWallet();
    const asReader = (url: string, body?: object) =>
      fixture.ask(url, { bearer: fixture.readToken, ...(body && { body }) });
    assert.equal((await asReader(`/v1/admin/wallets/${id}`)).json().wallet_id, id);
    for (const path of [
      "/v1/admin/topups",
      "/v1/admin/actions",
      "/v1/admin/keys",
      "/v1/admin/clock",
      "/v1/admin/anchor",
    ])
      assert.equal((await asReader(path)).statusCode, 200, path);
    assert.equal((await asReader("/v1/admin/audit", {})).json().ok, true);
    const changes = railContract.endpoints.filter(
      ({ auth, method, id: name }) =>
        auth === "admin" && method !== "GET" && name !== "adminAudit" && name !== "adminCheckAnchor",
    );
    assert.ok(changes.length >= 10);
    for (const { path } of changes) {
      const refused = await asReader(path.replace("{id}", id), { operator: "reader", reason: "a test" });
      assert.deepEqual([refused.statusCode, refused.json().code], [403, "read_only_token"], path);
    }
    assert.equal((await asReader(`/v1/admin/wallets/${id}`)).json().status, "active");
    assert.equal((await fixture.ask("/v1/wallets/me", { token: fixture.readToken })).statusCode, 401);
    assert.equal(
      (await fixture.ask("/internal/v1/instances", { bearer: fixture.readToken, body: {} })).statusCode,
      401,
    );
  });

  test("accepts the previous tokens of operator and gateways during a rotation, each for its own endpoints", async () => {
    await using fixture = await createRailFixture();
    const { service, admin } = fixture.previous;
    const hello = (bearer: string) =>
      fixture.ask("/internal/v1/instances", { bearer, body: { instance: "gw", boot: "b1" } });
    for (const bearer of [fixture.serviceToken, service]) assert.equal((await hello(bearer)).statusCode, 200);
    for (const bearer of [fixture.adminToken, admin]) {
      assert.equal((await fixture.ask("/v1/admin/keys", { bearer })).statusCode, 200);
      assert.equal((await hello(bearer)).statusCode, 401);
    }
    assert.equal((await fixture.ask("/v1/admin/keys", { bearer: service })).statusCode, 401);
  });
});
