/** Starts a service of a benchmark in its own process. */
import {
  startMeasured,
  type MeasuredProcess,
  type ProcessOptions,
} from "../../../packages/decisions/bench/measured-process.ts";

export type ServiceName = "rail" | "router" | "gateway";

export function startService(name: ServiceName, options: Omit<ProcessOptions, "args">): Promise<MeasuredProcess> {
  return startMeasured(new URL("./service-process.ts", import.meta.url), { ...options, args: [name] });
}
