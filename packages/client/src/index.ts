export { createClient, type Client, type ClientOptions, type Input, type Reply } from "./client.ts";
export { ProblemError, readProblem } from "./problem-error.ts";
export {
  verifyReceipt,
  type ReceiptEvidence,
  type ReceiptError,
  type ReceiptKeys,
  type ReceiptVerdict,
  type RevokedReceiptKeys,
} from "./verify-receipt.ts";
