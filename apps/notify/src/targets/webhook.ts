/** Standard Webhooks (https://www.standardwebhooks.com): three headers, signed with HMAC-SHA256. */
import { createHmac } from "node:crypto";
import { postJson } from "./post.ts";
import type { OutgoingMessage, Outcome } from "./target.ts";

const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** The key of `whsec_…`; null if the secret is invalid. */
export function keyOfSecret(secret: string): Buffer | null {
  const text = secret.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const key = Buffer.from(text, "base64");
  return key.length < SECRET_BYTES_MIN || key.length > SECRET_BYTES_MAX ? null : key;
}

export function webhookSender({ url, key }: { readonly url: string; readonly key: Buffer }) {
  return ({ event, link, now }: OutgoingMessage): Promise<Outcome> => {
    const { id, type, at, data } = event;
    const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { ...data, url: link } });
    const timestamp = String(Math.floor(now / 1_000));
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
    return postJson({ url, headers, body, now });
  };
}
