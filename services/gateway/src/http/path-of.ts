import type { FastifyRequest } from "fastify";

export function pathOf({ url }: Pick<FastifyRequest, "url">): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Includes the question mark; empty without a query. */
export function queryOf({ url }: Pick<FastifyRequest, "url">): string {
  const query = url.indexOf("?");
  return query < 0 ? "" : url.slice(query);
}
