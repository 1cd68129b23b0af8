/** Events of the payment provider: believed by their signature, answered after the commit. What is not about us is heard and forgotten. */
import type { stripeWebhook } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import { ProviderUnavailable, SignatureInvalid } from "../domain/payments.ts";
import type { Rail } from "../domain/rail.ts";
import type { Caller } from "./caller.ts";

export interface WebhookWatch {
  /** Hears how long after it happened an event was believed. */
  webhookReceived(lagMs: number): void;
}

export function stripeWebhookHandler({ topUps, now }: Pick<Rail, "topUps" | "now">, watch: WebhookWatch) {
  return async ({ body, request }: RequestContext<typeof stripeWebhook, Caller>) => {
    const { verifyWebhook } = topUps.provider;
    if (verifyWebhook === null) throw new Problem("not_found");
    const news = await verifyWebhook(body ?? Buffer.alloc(0), request.headers).catch(asProblem);
    if (news === null) return { received: true };
    if (news.happenedAt !== undefined) watch.webhookReceived(now() - news.happenedAt);
    const { topup, changed } = await topUps.handleEvent(news);
    const about = { topup: topup?.id ?? null, kind: news.event?.kind ?? null, changed };
    if (news.remark !== undefined && topup !== null) request.log.warn(about, news.remark);
    else request.log.info(about, "payment event");
    return { received: true };
  };
}

/** Without an answer of ours 2xx the provider sends the event again: the right thing where it could not be read to its end. */
function asProblem(error: unknown): never {
  if (error instanceof SignatureInvalid) throw new Problem("signature_invalid", { cause: error });
  if (error instanceof ProviderUnavailable)
    throw new Problem("provider_unavailable", { cause: error, headers: { "Retry-After": "60" } });
  throw error;
}
