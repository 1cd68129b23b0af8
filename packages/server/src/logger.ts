/**
 * JSON lines on stdout, pretty on a terminal. Every line passes the redaction last, whoever wrote it: what looks like a
 * credential never reaches the log, not even inside an error's stack.
 */
import { destination as fileDescriptor, pino, type DestinationStream, type Logger } from "pino";
import { redact } from "./redact.ts";
import { terminalLog } from "./terminal-log.ts";

export interface LoggerOptions {
  readonly service: string;
  /** `silent` writes nothing. */
  readonly level: string;
  /** Where lines go; stdout when absent. */
  readonly destination?: DestinationStream;
}

export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const output: LogOutput = destination ?? standardOutput(level);
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
      timestamp: timeOfLine(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    redacting,
  );
}

interface LogOutput extends DestinationStream {
  flush?(done: (error?: Error | null) => void): void;
}

function standardOutput(level: string): LogOutput {
  if (process.stdout.isTTY) {
    return terminalLog(
      { write: (line) => void process.stdout.write(line) },
      { isWhole: level === "debug" || level === "trace", isColoured: process.stdout.hasColors() },
    );
  }
  // Lines wait for company, at most a tenth of a second: a system call for each would cost a request more than its search does.
  // They wait as bytes: of text, the stream would measure all that waits again with each line.
  const waiting = { sync: false, minLength: 12 * 1024, periodicFlush: 100, contentMode: "buffer" } as const;
  const bytes = fileDescriptor({ dest: 1, ...waiting });
  return {
    // Its type knows of text only.
    write: (line) => void Reflect.apply(bytes.write, bytes, [Buffer.from(line)]),
    flush: (done) => bytes.flush(done),
  };
}

/** RFC 3339 with milliseconds, as a member of a line. All but the milliseconds is written once a second. */
function timeOfLine(): () => string {
  let second = NaN;
  let beginning = "";
  return () => {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      beginning = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
    }
    return `${beginning}${String(milliseconds).padStart(3, "0")}Z"`;
  };
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
