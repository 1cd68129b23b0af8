/**
 * Log format for terminals: one line per entry, service name first. Successful requests between services and probes
 * are hidden, because they would bury the startup messages within seconds.
 */
import type { DestinationStream } from "pino";
import { prettyFactory, type PrettyOptions } from "pino-pretty";

const COMMON: PrettyOptions = { translateTime: "SYS:HH:MM:ss", singleLine: true };
const HIDDEN = "service,request_id";
const PROBED = new Set(["/health", "/livez", "/readyz", "/metrics"]);

interface Line {
  readonly msg?: unknown;
  readonly route?: unknown;
  readonly status?: unknown;
}

export interface TerminalLogOptions {
  readonly isWhole: boolean;
  readonly isColoured: boolean;
}

export function terminalLog(output: DestinationStream, { isWhole, isColoured }: TerminalLogOptions): DestinationStream {
  const common = { ...COMMON, colorize: isColoured };
  const lines = prettyFactory({
    ...common,
    ignore: HIDDEN,
    messageFormat: ({ service, msg }) => `${String(service)}: ${String(msg)}`,
  });
  const requests = prettyFactory({
    ...common,
    ignore: `${HIDDEN},method,route,status,duration_ms`,
    messageFormat: ({ service, method, route, status, duration_ms: duration }) =>
      `${String(service)}: ${String(method)} ${String(route)} ${String(status)} ${Number(duration).toFixed(1)} ms`,
  });
  return {
    write(text) {
      const line: Line = JSON.parse(text);
      if (line.msg !== "request") output.write(lines(line));
      else if (isWhole || !isTalkOfServices(line)) output.write(requests(line));
    },
  };
}

function isTalkOfServices({ route, status }: Line): boolean {
  const path = String(route);
  return Number(status) < 400 && (PROBED.has(path) || path.startsWith("/internal/"));
}
