export { createRedactor, type RedactedStream, type Redactor } from "./redactor.ts";
export { formatSecretLocation, findSecrets, type AddedText, type SecretLocation } from "./secret-scan.ts";
