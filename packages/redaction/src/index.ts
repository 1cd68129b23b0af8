export { createRedactor, type RedactedStream, type Redactor } from "./redactor.ts";
