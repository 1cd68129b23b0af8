/** Comparison with a single known token, as services and operators have it. */
import { timingSafeEqual } from "node:crypto";

/** Compares in constant time. Only the length of the token can be observed, which is not secret. */
export function timingSafeMatcher(secret: string): (token: string) => boolean {
  const expected = Buffer.from(secret);
  return (token) => {
    const received = Buffer.from(token);
    return received.length === expected.length && timingSafeEqual(received, expected);
  };
}
