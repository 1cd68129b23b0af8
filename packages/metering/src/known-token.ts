/** A token of which there is one, as services and operators have it. */
import { hash, timingSafeEqual } from "node:crypto";

/** Whether it is this one. Digests have one length, whatever is presented: comparing them takes one time. */
export function sameAs(known: string): (token: string) => boolean {
  const digest = digestOf(known);
  return (token) => timingSafeEqual(digestOf(token), digest);
}

function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
