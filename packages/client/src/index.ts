export { createClient, type Client, type ClientOptions } from "./client.ts";
export { type ChangeNotice, type StreamOptions } from "./events.ts";
export { isProblemOf, parseRetryAfter, ProblemError, readProblem } from "./problem-error.ts";
export { type Input, type Reply, type RequestOptions } from "./request.ts";
export { type Answer, type Method, type Triptych } from "./service-methods.ts";
export { createTriptych, type TriptychOptions } from "./triptych.ts";
export {
  verifyReceipt,
  type ReceiptEvidence,
  type ReceiptError,
  type ReceiptKeys,
  type ReceiptVerdict,
  type RevokedReceiptKeys,
} from "./verify-receipt.ts";
export { patchIdOf, verifyStatement, type StatementVerdict } from "./verify-statement.ts";
