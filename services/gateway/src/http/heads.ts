/**
 * The first head of a name has to be bought, once. Whether it was is asked after the router has found the order without fault: nobody
 * buys what could not be made.
 */
import { CUSTOM_HEAD_SKU, type Endpoint } from "@triptych/contracts";
import type { Exchange } from "@triptych/server";
import type { RailFacts } from "../domain/rail-facts.ts";
import type { Caller } from "./caller.ts";
import { railUnavailable, type Denials } from "./denials.ts";
import { passingOnHandler, type Passage } from "./passing-on.ts";

export interface HeadShop extends Passage {
  readonly rail: Pick<RailFacts, "isEntitled" | "customHeadMicro">;
  readonly denials: Denials;
}

type Asking = Exchange<Endpoint & { readonly auth: string }, Caller>;

export function createHeadHandler(shop: HeadShop, endpoint: Endpoint) {
  const { rail } = shop;
  const { careful: passOn } = passingOnHandler(shop, endpoint);
  return {
    async careful(exchange: Asking) {
      const { caller, request } = exchange;
      const name = nameIn(request.body);
      if (caller.wallet === null) throw new Error("Nobody asks for a head without a wallet.");
      if (name === null) return passOn(exchange);
      const isEntitled = await rail.isEntitled({ walletHash: caller.wallet.hash, sku: CUSTOM_HEAD_SKU, ref: name });
      if (isEntitled === null) throw railUnavailable();
      return passOn(exchange);
    },
  };
}

function nameIn(body: unknown): string | null {
  return typeof body === "object" && body !== null && "name" in body && typeof body.name === "string"
    ? body.name
    : null;
}
