/** A token of which there is one, as services and operators have it. */
import { timingSafeEqual } from "node:crypto";

/** Whether it is this one: to compare takes one time, whatever is presented. Only how long it is can be told, which is no secret. */
export function sameAs(known: string): (token: string) => boolean {
  const expected = Buffer.from(known);
  return (token) => {
    const shown = Buffer.from(token);
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  };
}
