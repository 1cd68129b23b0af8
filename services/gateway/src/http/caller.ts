import type { FastifyRequest } from "fastify";
import type { Meter } from "../domain/billing.ts";

export interface Caller {
  /** Null on a path that needs no wallet, if the request has no wallet known to the rail. */
  readonly wallet: ResolvedWallet | null;
  /** Duration of the wallet lookup, in milliseconds. */
  readonly walletMs: number;
}

export interface ResolvedWallet extends Meter {
  readonly id: string;
  /** Identifies the token at the rail, which never receives the token itself. */
  readonly hash: string;
}

/** The owner that routers receive. `nobody` cannot be a wallet ID, so it owns no heads on any router. */
export function ownerOf({ wallet }: Caller): string {
  return wallet?.id ?? "nobody";
}

export function pathOf({ url }: Pick<FastifyRequest, "url">): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Includes the question mark; empty without a query. */
export function queryOf({ url }: Pick<FastifyRequest, "url">): string {
  const query = url.indexOf("?");
  return query < 0 ? "" : url.slice(query);
}
