/** A token of which there is one, as services and operators have it. */
import { timingSafeEqual } from "node:crypto";

/** Whether it is this one: to compare takes one time, whatever is presented. Only how long it is can be told, which is no secret. */
export function timingSafeMatcher(secret: string): (token: string) => boolean {
  const expected = Buffer.from(secret);
  return (token) => {
    const received = Buffer.from(token);
    return received.length === expected.length && timingSafeEqual(received, expected);
  };
}
