export { ConfigError, configIssues, readConfig, type Environment } from "./config.ts";
export { issuesOfSecrets, SECRET_MIN_LENGTH, type SecretConfig, secretIssues } from "./secret-issues.ts";
export { defineSettings, type Setting, type Settings, type Variable } from "./settings.ts";
export {
  connectionVariables,
  serviceVariables,
  tracingVariables,
  TRUSTED_PROXIES,
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
} from "./shared-variables.ts";
