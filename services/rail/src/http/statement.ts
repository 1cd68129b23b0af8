import { STATEMENT_MOVEMENTS_MAX, type getStatement } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import { csvCell } from "@triptych/util";
import type { FastifyReply } from "fastify";
import type { EntryResponse } from "../domain/entry.ts";
import type { Rail } from "../domain/rail.ts";
import { statementOf } from "../domain/statement.ts";
import { readToken } from "./entries.ts";
import { walletOf, type Caller } from "./identify.ts";

export function statementHandler({ ledger, keys }: Rail) {
  return async ({ caller, query, reply }: RequestContext<typeof getStatement, Caller>): Promise<unknown> => {
    const tokenId = await readToken(ledger, caller, query.token);
    const statement = await statementOf(ledger, { walletId: walletOf(caller).id, month: query.month, tokenId });
    if (statement === null)
      throw new Problem("statement_too_long", { members: { movements_max: STATEMENT_MOVEMENTS_MAX } });
    const signature = await keys.signStatement(statement);
    if (query.format === "csv") return sendCsv(reply, { month: query.month, rows: statement.movements, signature });
    return { ...statement, signature };
  };
}

const COLUMNS = [
  "id",
  "seq",
  "kind",
  "amount_micro",
  "balance_after_micro",
  "charge_id",
  "topup_id",
  "reverses",
  "op",
  "created_at",
  "prev",
  "token_id",
] as const satisfies readonly (keyof EntryResponse)[];

interface CsvStatement {
  readonly month: string;
  readonly rows: readonly EntryResponse[];
  readonly signature: string;
}

function sendCsv(reply: FastifyReply, { month, rows, signature }: CsvStatement): FastifyReply {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => cell(column, row[column])))];
  return reply
    .headers({
      "X-Statement-Signature": signature,
      "Content-Disposition": `attachment; filename="statement-${month}.csv"`,
    })
    .type("text/csv; charset=utf-8")
    .send(lines.map((line) => `${line.join(",")}\r\n`).join(""));
}

/**
 * A cell of RFC 4180. Operators write `op`, so a text that a spreadsheet would run as a formula gets a leading quote.
 * Other columns stay unchanged: a hash in `prev` may begin with `-`, and changing it would break the chain.
 */
function cell(column: keyof EntryResponse, value: string | number | null | undefined): string {
  if (value == null) return "";
  if (typeof value === "number") return String(value);
  return csvCell(column === "op" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}
