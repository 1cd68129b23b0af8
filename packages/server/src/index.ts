export { acceptedLanguage, acceptedMedia, notAcceptable } from "./accept.ts";
export { answerOnSocket, skipCompression } from "./create-fastify.ts";
export { ConfigError, configIssues, readConfig, secretIssues } from "@triptych/config";
export { connectionLimits } from "./connections.ts";
export type { ConnectionLimits } from "./connections.ts";
export { readCredentials } from "./credentials.ts";
export { readCredentialsFile, writeCredentials, type CredentialsSection } from "./credentials-file.ts";
export type { HostOptions } from "./host-check.ts";
export { createServer } from "./create-server.ts";
export type { Authenticate, Server, ServerOptions } from "./server.ts";
export { ValidationErrors } from "./validation-errors.ts";
export { CONTENT_SECURITY_POLICY, escapeHtml, html, PAGE_HEADERS, type Html } from "./html.ts";
export {
  beginFileRotation,
  endFileRotation,
  installationSecrets,
  type InstallationSecrets,
  SECRET_FILE,
  SECRET_RELOAD_MS,
} from "./instance-secret.ts";
export { createLogger } from "./logger.ts";
export { openService, type RunningService } from "./open-service.ts";
export { aggregateMetrics } from "./metrics.ts";
export type { RequestHandler, ValidatingHandler, RequestContext } from "./handler.ts";
export { nearest } from "./suggest.ts";
export { meterHeaders, paymentRequired, type PaymentRequirement, type PaymentCode } from "./payment-required.ts";
export { openApiDocument, openApiText } from "./openapi.ts";
export { sendLocalizedPage, sendPage } from "./page-routes.ts";
export { routePattern } from "./path-of.ts";
export { codeTabs, prose } from "./pages/endpoint-section.ts";
export { REFERENCE, referenceLink, type FrenchPages, type Home, type HomeCommand } from "./pages/home-page.ts";
export {
  loadPageAssets,
  PAGE_STYLES,
  pageDocument,
  sendAsset,
  TOKENS,
  withoutComments,
  type LoadedAsset,
  type PageAsset,
} from "./pages/page-assets.ts";
export { loadBuiltPage, mountBuiltPage, sendBuiltAsset, sendShell, type BuiltPage } from "./pages/built-page.ts";
export { ENGLISH, pageLanguageOf, type PageLanguage } from "./pages/page-language.ts";
export { fill, withFrenchSpaces, type Language } from "./pages/page-texts.ts";
export { referencePage } from "./pages/reference-page.ts";
export { allowedValues, schemaShape } from "./pages/schema-shape.ts";
export { siteHeader, type PageLink } from "./pages/site-header.ts";
export { mountPlayground } from "./playground/mount-playground.ts";
export { Problem, validationFailed } from "./problem.ts";
export { repeat } from "./interval.ts";
export { compileBody } from "./schema-checks.ts";
export { secretFile, serviceTokenFile, type SecretFile } from "./secret-file.ts";
export { renderTable, timeText, type TextTable } from "@triptych/terminal";
export { mapStorageError, storeReadiness } from "./store-errors.ts";
