export { createRedactor, type RedactedStream, type Redactor } from "./redactor.ts";
export { describePlace, findSecrets, type AddedText, type SecretPlace } from "./secret-scan.ts";
