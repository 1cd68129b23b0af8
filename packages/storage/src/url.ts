/** Parses a store URL. It may contain a password, so errors never repeat it. */
import { isAbsolute } from "node:path";

export type ParsedUrl = { readonly engine: "sqlite"; readonly path: string } | { readonly engine: "postgres" };

export function parseUrl(url: string): ParsedUrl {
  if (/^postgres(ql)?:\/\//.test(url)) return { engine: "postgres" };

  const path = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : "";
  if (path === ":memory:" || isAbsolute(path)) return { engine: "sqlite", path };

  throw new Error("A store URL is sqlite:/absolute/path.db, sqlite::memory: or postgres://user@host/name.");
}
