/** Invoice lines, written once from closed days; the same queries on both engines. */
import { sql, type Database } from "@triptych/storage";
import { monthBounds } from "../day.ts";
import type { InvoiceLine } from "../usage.ts";
import type { MeteringTables } from "./tables.ts";

/** Creates missing lines, for live keys with amounts above 0. Existing lines stay unchanged. */
export async function writeInvoices(
  { db }: Database<MeteringTables>,
  { service, month, now }: { readonly service: string; readonly month: string; readonly now: number },
): Promise<void> {
  const [first, last] = monthBounds(month);
  await sql`
    insert into invoice_line (name, key_id, month, requests, items, amount_micro, made_at)
    select ${service} || ':' || d.key_id || ':' || ${month}, d.key_id, ${month}, cast(sum(d.requests) as bigint),
           cast(sum(d.items) as bigint), cast(sum(d.amount_micro) as bigint), cast(${now} as bigint)
      from usage_part as d join api_key as k on k.id = d.key_id
     where d.day between ${first} and ${last} and k.test = 0
     group by d.key_id having sum(d.amount_micro) > 0
    on conflict (name) do nothing`.execute(db);
}

export async function readInvoices({ db }: Database<MeteringTables>, month: string): Promise<readonly InvoiceLine[]> {
  const lines = await db.selectFrom("invoice_line").selectAll().where("month", "=", month).orderBy("key_id").execute();
  return lines.map(({ name, key_id: keyId, requests, items, amount_micro: amountMicro }) => {
    return { name, keyId, month, requests, items, amountMicro };
  });
}
