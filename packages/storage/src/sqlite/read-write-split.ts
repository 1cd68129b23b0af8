/**
 * Which road a query takes: reads to the reader, everything else to the writer. Queries built with Kysely say what they are;
 * raw SQL is judged by its first word. `with` may begin either, so it is tried as a read: a read-only connection refuses a
 * write before anything happens, and the store then sends it to the writer.
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
