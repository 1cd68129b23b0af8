/**
 * Ties a charge to the answer that it pays for. `finish` (the bytes were handed to the kernel) is delivery, `close` before it is none. A
 * client may have hung up while the charge was made: then `close` has been and gone, and nobody would hear it any more.
 */
import type { ServerResponse } from "node:http";
import type { Charged } from "./billing.ts";

/** To be called before the answer is written. Answers whether there is still somebody to answer. */
export function confirmDelivery(
  charged: Pick<Charged, "signal" | "delivered" | "aborted">,
  response: ServerResponse,
): boolean {
  const { signal, delivered, aborted } = charged;
  if (signal.aborted) response.destroy();
  if (response.destroyed || response.closed) {
    aborted("client_gone");
    return false;
  }
  const reverse = () => response.destroy();
  signal.addEventListener("abort", reverse, { once: true });
  response.once("finish", () => {
    signal.removeEventListener("abort", reverse);
    delivered();
  });
  response.once("close", () => aborted("client_gone"));
  return true;
}
