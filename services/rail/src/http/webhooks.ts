/**
 * Payment provider events: authenticated by signature, acknowledged after the commit. Events about other payments are
 * ignored.
 */
import type { stripeWebhook } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import { ProviderUnavailable, SignatureInvalid } from "../domain/payments.ts";
import type { Rail } from "../domain/rail.ts";
import type { Caller } from "./identify.ts";

export interface WebhookWatch {
  /** Receives the delay between an event and its arrival, in milliseconds. */
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

/** Any status other than 2xx makes the provider resend the event, as intended if it could not be processed. */
function asProblem(error: unknown): never {
  if (error instanceof SignatureInvalid) throw new Problem("signature_invalid", { cause: error });
  if (error instanceof ProviderUnavailable)
    throw new Problem("provider_unavailable", { cause: error, headers: { "Retry-After": "60" } });
  throw error;
}
