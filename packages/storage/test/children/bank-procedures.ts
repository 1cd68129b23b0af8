/** Procedures for the tables of these tests. */
import type { OpenProcedures } from "../../src/index.ts";

export const procedures: OpenProcedures = (statements) => {
  const balanceOf = statements.prepare<{ balance: number }>("select balance from account where id = ?");
  const all = statements.prepare<{ id: string }>("select id from account order by id");
  const open = statements.prepare("insert into account (id, balance) values (?, ?)");
  const add = statements.prepare("update account set balance = balance + ?1 where id = ?2");
  return {
    openAll: (ids: readonly string[]) => ids.map((id) => open.run(id, 7)),
    move({ from, to, amount }: { readonly from: string; readonly to: string; readonly amount: number }) {
      add.run(amount, to);
      if (add.run(-amount, from) === 0) throw new Error(`there is no account ${from}`);
      return { left: balanceOf.first(from)?.balance, missing: balanceOf.first("nobody") };
    },
    ids: () => all.all().map(({ id }) => id),
  };
};
