/** Comparison with a single known token, as services and operators have it. */
import { timingSafeEqual } from "node:crypto";

/** In constant time. The length of the token is observable, and not secret. */
export function timingSafeMatcher(secret: string): (token: string) => boolean {
  const expected = Buffer.from(secret);
  return (token) => {
    const received = Buffer.from(token);
    return received.length === expected.length && timingSafeEqual(received, expected);
  };
}
