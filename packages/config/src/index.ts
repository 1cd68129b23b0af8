export { ConfigError, configIssues, readConfig, type Environment } from "./config.ts";
export { issuesOfSecret, SECRET_MIN_LENGTH, secretIssues } from "./secret-issues.ts";
export { defineSettings, type Setting, type Settings, type Variable } from "./settings.ts";
export { connectionVariables, serviceVariables, TRUSTED_PROXIES, TRIPTYCH_SECRET } from "./shared-variables.ts";
