/**
 * JSON lines on stdout, pretty on a terminal. Every line passes the redaction last, whoever wrote it: what looks like a
 * credential never reaches the log, not even inside an error's stack.
 */
import { destination as fileDescriptor, pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";
import pretty from "pino-pretty";
import { redact } from "./redact.ts";

export interface LoggerOptions {
  readonly service: string;
  /** `silent` writes nothing. */
  readonly level: string;
  /** Where lines go; stdout when absent. */
  readonly destination?: DestinationStream;
}

export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const output = destination ?? standardOutput();
  const redacting: DestinationStream = { write: (line) => output.write(redact(line)) };
  return pino(
    {
      level,
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    redacting,
  );
}

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return pretty({ ignore: "service,request_id", translateTime: "SYS:HH:MM:ss", sync: true });
  return fileDescriptor({ dest: 1, sync: false });
}

/** Message and stack with the chain of causes, and nothing else: errors of drivers carry rows and parameters. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
