export { createBilling } from "./billing.ts";
export type {
  Admission,
  Billed,
  Billing,
  BillingOptions,
  ChargeCall,
  Charged,
  ChargeOutcome,
  Refused,
  Replayed,
  Unavailable,
} from "./billing.ts";
export { bodyDigest, requestDigest, requestText, walletHashOf, type DigestInput } from "./digests.ts";
export { createHttpTransport, systemTimers, type HttpTransportOptions } from "./http-transport.ts";
export { createResponseEncryption, type ResponseEncryption } from "./response-encryption.ts";
export type { SessionState, TransportError } from "./session.ts";
export type {
  BillingTransport,
  ChargeBatch,
  ChargeResults,
  Hello,
  Origin,
  ResolvedWallet,
  Timers,
} from "./transport.ts";
export { confirmDelivery } from "./delivery-confirmation.ts";
