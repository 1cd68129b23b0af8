/**
 * Routes reads to the reader and everything else to the writer, by the first keyword. `with` is tried as a read first:
 * if it is a write, the read-only connection rejects it without any effect.
 */
import type { CompiledQuery } from "kysely";
import { batchOf, isScript } from "../statement.ts";

const READS = ["select", "values", "with", "explain"];

export function isRead(query: CompiledQuery): boolean {
  if (isScript(query) || batchOf(query) !== undefined) return false;
  if (query.query.kind === "SelectQueryNode") return true;
  if (query.query.kind !== "RawNode") return false;

  const sql = withoutLeadingComments(query.sql);
  const keyword = /^[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? "";
  return READS.includes(keyword) || (keyword === "pragma" && !sql.includes("="));
}

function withoutLeadingComments(sql: string): string {
  return sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()+/, "");
}
