/**
 * The first head of a name requires a purchase. The entitlement is checked after the router has validated the request,
 * so that nobody pays for an invalid request.
 */
import { CUSTOM_HEAD_SKU, HEAD_NAME_PATTERN, type Endpoint } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { RailFacts } from "../domain/billing.ts";
import { askRouter, toProblem } from "./router-client.ts";
import { ownerOf, type Caller, type ResolvedWallet } from "./caller.ts";
import { railUnavailable, routerFailed, type PaymentErrors } from "./payment-errors.ts";
import { proxyHandler, type ProxyDeps } from "./proxy-handler.ts";

export interface HeadPurchase extends ProxyDeps {
  readonly rail: Pick<RailFacts, "isEntitled" | "terms">;
  readonly denials: PaymentErrors;
}

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export function createHeadHandler(shop: HeadPurchase, endpoint: Endpoint) {
  const { handle: passOn } = proxyHandler(shop, endpoint);
  return {
    async handle(context: Asking) {
      const { caller, request } = context;
      const name = nameIn(request.body);
      if (caller.wallet === null) throw new Error("A head request has no wallet.");
      if (name !== null && (await isBought(shop, caller.wallet, name))) return passOn(context);

      const more = { "x-router-judge": "1" };
      // Validation changes nothing, but validating thousands of texts exceeds the decision timeout, so use the training
      // connections.
      const question = { request, endpoint, params: {}, owner: ownerOf(caller), isSafe: false, more };
      const problem = toProblem(await askRouter(shop.routers, question));
      if (problem !== null) throw problem;
      if (name === null) throw routerFailed("the router accepted a head without a name");
      throw await notBought(shop, caller.wallet, name, endpoint.path);
    },
  };
}

/** Null for an invalid name; the router reports the issue. */
function nameIn(body: unknown): string | null {
  const name = typeof body === "object" && body !== null && "name" in body ? body.name : null;
  return typeof name === "string" && NAME.test(name) ? name : null;
}

const NAME = new RegExp(HEAD_NAME_PATTERN);

async function isBought({ rail }: HeadPurchase, { hash }: ResolvedWallet, name: string): Promise<boolean> {
  const isEntitled = await rail.isEntitled({ walletHash: hash, sku: CUSTOM_HEAD_SKU, ref: name });
  if (isEntitled === null) throw railUnavailable();
  return isEntitled;
}

async function notBought(
  { rail, denials }: HeadPurchase,
  { balanceMicro }: ResolvedWallet,
  name: string,
  path: string,
) {
  const terms = await rail.terms();
  return terms === null
    ? railUnavailable()
    : denials.entitlementRequired({ name, priceMicro: terms.customHeadMicro, balanceMicro, path });
}
