/**
 * JSON lines on stdout, or a readable format on a terminal. Redaction is the last step for every line, so that
 * credentials never reach the log, not even in the stack of an error.
 */
import { destination as fileDescriptor, pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";
import { redact } from "./redact.ts";
import { terminalLog } from "./pretty-log.ts";

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Output stream; stdout if absent. */
  readonly destination?: DestinationStream;
}

export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const output: LogOutput = destination ?? standardOutput();
  const redacting = {
    write: (line: string) => output.write(redact(line)),
    flush(done: (error?: Error | null) => void) {
      if (output.flush) output.flush(done);
      else done();
    },
  };
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

interface LogOutput extends DestinationStream {
  flush?(done: (error?: Error | null) => void): void;
}

function standardOutput(): LogOutput {
  if (process.stdout.isTTY)
    return terminalLog({ write: (line) => void process.stdout.write(line) }, process.stdout.hasColors());
  // Buffers lines for at most 100 ms, because a system call per line would cost more than a search.
  return fileDescriptor({ dest: 1, sync: false, minLength: 12 * 1024, periodicFlush: 100 });
}

/** Logs only the message, stack and causes: errors of database drivers also contain rows and parameters. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
