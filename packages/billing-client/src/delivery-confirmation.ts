/**
 * Ends a charge with its response: `finish` (bytes passed to the kernel) means delivered, an earlier `close` means
 * aborted. If the client disconnected during the charge, `close` has already fired.
 */
import type { ServerResponse } from "node:http";
import type { Charged } from "./billing.ts";

/** Call before the response is written. Returns whether the client is still connected. */
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
