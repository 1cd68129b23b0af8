import { sql, type SqlBool } from "@triptych/storage";

export function visibleIn(version: number) {
  return sql<SqlBool>`from_version <= ${version} and (to_version is null or to_version > ${version})`;
}
