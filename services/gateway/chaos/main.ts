/**
 * `npm run chaos:gateway -- --seed N --kills N --store sqlite|postgres --callers N --gateways N --routers N --audit-every N`: kills gateways,
 * routers and the rail under load, judges the ledger after each round by what clients got and gateways wrote down, and ends with 1 and the
 * seed when anything does not hold. `--postgres` is short for `--store postgres`.
 */
import { runFromCommandLine } from "@triptych/rail/chaos";
import { openGateways } from "./open-gateways.ts";

await runFromCommandLine({
  command: "npm run chaos:gateway",
  more: { gateways: 2, routers: 1 },
  openFront: ({ gateways = 0, routers = 0 }) => openGateways({ gateways, routers }),
});
