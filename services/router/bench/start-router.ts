/** Starts the router of a benchmark in its own process. */
import { startMeasured, type MeasuredProcess } from "../../../packages/decisions/bench/measured-process.ts";

export function startRouter(data: string): Promise<MeasuredProcess> {
  const environment = { TRIPTYCH_DATA: data, ROUTER_PORT: "0" };
  return startMeasured(new URL("./router-process.ts", import.meta.url), { environment });
}
