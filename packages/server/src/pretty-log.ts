/** Log format for terminals: one line per entry, service name first. */
import type { DestinationStream } from "pino";
import { prettyFactory, type PrettyOptions } from "pino-pretty";

const COMMON: PrettyOptions = { translateTime: "SYS:HH:MM:ss", singleLine: true };
const HIDDEN = "service,request_id";

interface Line {
  readonly msg?: unknown;
}

export function terminalLog(output: DestinationStream, isColoured: boolean): DestinationStream {
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
      output.write(line.msg === "request" ? requests(line) : lines(line));
    },
  };
}
