export { acceptedMedia, notAcceptable } from "./accept.ts";
export { presentedCredentials } from "./credentials.ts";
export { ConfigError, readConfig } from "./config.ts";
export { readCredentials, writeCredentials, type CredentialsSection } from "./credentials-file.ts";
export { createServer } from "./create-server.ts";
export type { Identify, Server, ServerOptions } from "./server.ts";
export { Faults } from "./faults.ts";
export { html, page, type Html } from "./html.ts";
export { installationSecret, type SecretPlace } from "./installation-secret.ts";
export { createLogger } from "./logger.ts";
export { aggregateMetrics } from "./metrics.ts";
export type { Answering, CarefulHandler, Exchange } from "./handler.ts";
export { nearest } from "./nearest.ts";
export { meterHeaders, paymentRequired, type PaymentAsked, type PaymentCode } from "./payment-required.ts";
export { openApiDocument, openApiText } from "./openapi.ts";
export { sendPage } from "./operations.ts";
export {
  loadPageAssets,
  pageDocument,
  sendAsset,
  withoutComments,
  PAGE_TOKENS,
  type LoadedAsset,
  type PageAsset,
} from "./page-assets.ts";
export { Problem, validationFailed } from "./problem.ts";
export { repeat } from "./repeat.ts";
export { newId } from "./request-id.ts";
export { secretFile, type SecretFile } from "./secret-file.ts";
export { renderTable, timeText, type TextTable } from "./text-table.ts";
