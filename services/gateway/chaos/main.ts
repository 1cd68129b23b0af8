/**
 * `npm run chaos:gateway -- --seed N --kills N --store sqlite|postgres --callers N --gateways N --routers N --audit-every N`: kills gateways,
 * routers and the rail under load. After each round it checks the ledger against the records of clients and gateways. On a violated
 * invariant it prints the seed and exits with 1. `--postgres` is short for `--store postgres`.
 */
import { runFromCommandLine } from "@triptych/rail/chaos";
import { openGateways } from "./open-gateways.ts";

await runFromCommandLine({
  command: "npm run chaos:gateway",
  more: { gateways: 2, routers: 1 },
  openFront: ({ gateways = 0, routers = 0 }) => openGateways({ gateways, routers }),
});
