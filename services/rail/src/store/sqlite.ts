/**
 * The hot path in SQLite's words: everything that batches of charges will look at, found in one statement, because each statement is
 * a message to the writer's thread and back. Rows come as JSON arrays with the kind of row in front.
 */
import { sql } from "@triptych/storage";
import type { Attempt, Loaded } from "../domain/book.ts";
import type { GatewayBatch } from "../domain/charge-batch.ts";
import { toBoot, toCharge, toWallet } from "./rows.ts";
import type { ChargeRow, InstanceRow, WalletRow } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

const WALLET = ["id", "status", "paid_micro", "promo_micro", "promo_expires_at", "seq", "head"] as const;
const BOOT = ["instance", "boot", "state", "lease_until", "through"] as const;
const CHARGE = [
  "id",
  "instance",
  "boot",
  "seq",
  "wallet_id",
  "state",
  "op",
  "qty",
  "price_id",
  "amount_micro",
  "promo_micro",
  "revenue",
  "key_hash",
  "idk",
  "req",
  "res",
  "issuer",
  "kid",
  "entry_id",
  "wallet_seq",
  "balance_after_micro",
  "prev",
  "created_at",
  "delivered_at",
  "voided_at",
  "void_reason",
] as const satisfies readonly (keyof ChargeRow)[];

/** Above every attempt: a boot whose lease has ended loses all that it left open. */
const ALL_SEQS = Number.MAX_SAFE_INTEGER;

export async function loadBatches(tx: Tx, batches: readonly GatewayBatch[], now: number): Promise<Loaded> {
  const { rows } = await sql<{ kind: string; data: string }>`
    with batch as materialized (
      select i.instance, i.boot, i.state, i.lease_until, i.through,
             iif(i.lease_until <= ${now}, ${ALL_SEQS}, max(j.value ->> 2)) as ended
        from json_each(${JSON.stringify(batches.map(batchParameters))}) as j
        join instance as i on i.instance = j.value ->> 0 and i.boot = j.value ->> 1
       group by i.instance, i.boot
    ), attempt as materialized (
      select value ->> 0 as instance, value ->> 1 as boot, value ->> 2 as seq
        from json_each(${JSON.stringify(batches.flatMap(attempts))})
    ), token as materialized (
      select t.hash, t.wallet_id, j.value ->> 1 as op, j.value ->> 2 as key_hash
        from json_each(${JSON.stringify(batches.flatMap(tokens))}) as j
        join wallet_token as t on t.hash = j.value ->> 0 and (t.valid_until is null or t.valid_until > ${now})
    ), found as materialized (
      select c.id, c.wallet_id
        from attempt as a cross join charge as c on c.instance = a.instance and c.boot = a.boot and c.seq = a.seq
      union
      select c.id, c.wallet_id
        from json_each(${JSON.stringify(batches.flatMap(alsoDelivered))}) as j
        cross join charge as c on c.instance = j.value ->> 0 and c.boot = j.value ->> 1 and c.seq = j.value ->> 2
       where c.state = 'posted'
      union
      select c.id, c.wallet_id
        from batch as b
        cross join charge as c on c.instance = b.instance and c.boot = b.boot and c.seq > b.through and c.seq <= b.ended
       where c.state = 'posted'
      union
      select c.id, c.wallet_id
        from token as t
        cross join charge as c on c.wallet_id = t.wallet_id and c.op = t.op and c.key_hash = t.key_hash
       where c.key_hash is not null and c.state <> 'voided'
    )
    select 'boot' as kind, json_array(${columns("b", BOOT)}) as data from batch as b
    union all
    select 'charge', json_array(${columns("c", CHARGE)}) from found as f cross join charge as c on c.id = f.id
    union all
    select 'token', json_array(hash, wallet_id) from (select distinct hash, wallet_id from token)
    union all
    select 'wallet', json_array(${columns("w", WALLET)})
      from (select wallet_id from token union select wallet_id from found) as n cross join wallet as w on w.id = n.wallet_id
    union all
    select 'forestalled', json_array(f.instance, f.boot, f.seq)
      from attempt as a cross join forestalled as f on f.instance = a.instance and f.boot = a.boot and f.seq = a.seq
  `.execute(tx);

  const of = (kind: string) => rows.flatMap((row) => (row.kind === kind ? [parse(row.data)] : []));
  return {
    boots: of("boot").map((values) => toBoot(named<InstanceRow>(BOOT, values))),
    charges: of("charge").map((values) => toCharge(named<ChargeRow>(CHARGE, values))),
    wallets: of("wallet").map((values) => toWallet(named<WalletRow>(WALLET, values))),
    tokens: new Map(of("token").map(([hash, walletId]) => [String(hash), String(walletId)])),
    forestalled: of("forestalled").map(([instance, boot, seq]): Attempt => ({
      instance: String(instance),
      boot: String(boot),
      seq: Number(seq),
    })),
  };
}

function batchParameters({ instance, boot, ack }: GatewayBatch) {
  return [instance, boot, ack?.through ?? 0];
}

function attempts({ instance, boot, charges, voids }: GatewayBatch) {
  return [...charges, ...voids].map(({ seq }) => [instance, boot, seq]);
}

function alsoDelivered({ instance, boot, ack }: GatewayBatch) {
  return (ack?.also ?? []).map((seq) => [instance, boot, seq]);
}

function tokens({ charges }: GatewayBatch) {
  return charges.map(({ walletHash, op, keyHash }) => [walletHash, op, keyHash]);
}

function columns(table: string, names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(`${table}.${name}`)));
}

function parse(data: string): readonly unknown[] {
  return JSON.parse(data) as unknown[];
}

/** The statement above has put the values in the order of the names. */
function named<Row>(names: readonly (keyof Row & string)[], values: readonly unknown[]): Row {
  return Object.fromEntries(names.map((name, place) => [name, values[place]])) as Row;
}
