import type { AdmittedRequest, ApiKeyOwner } from "../domain/access.ts";
import type { Plan } from "../domain/plans.ts";

export interface Caller {
  readonly holder: ApiKeyOwner;
  readonly entry: AdmittedRequest;
  readonly plan: Plan;
  /** Items that this response may contain: the requested number, or the rest of the daily quota. */
  readonly granted: number;
  /**
   * Throws `quota_exceeded` when items were requested and the quota is used up. Checked before the handler, except for
   * conditional requests: those only if the response would contain an item.
   */
  refuseExhausted(): void;
  /** Records what this response contains, for its headers and for billing. A stream records repeatedly. */
  note(sent: SendResult): void;
}

export interface SendResult {
  readonly items: number;
  readonly geo: boolean;
  /** True for a stream: items sent count even if it breaks. A page counts whole or not at all. */
  readonly partial?: boolean;
  /** Items that a stream is going to send; its headers count them as used. */
  readonly expected?: number;
}
