/** One of the services that a bench asks, in a process of its own. */
import {
  startMeasured,
  type MeasuredProcess,
  type ProcessOptions,
} from "../../../packages/decisions/bench/measured-process.ts";

export type ServiceName = "rail" | "router" | "gateway";

export function startService(name: ServiceName, options: Omit<ProcessOptions, "args">): Promise<MeasuredProcess> {
  return startMeasured(new URL("./service-process.ts", import.meta.url), { ...options, args: [name] });
}
