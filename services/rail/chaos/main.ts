/**
 * `npm run chaos:rail -- --seed N --kills N --store sqlite|postgres --callers N --proxies N --audit-every N`: kills the rail and its gateways
 * under load, judges the ledger after each round, and ends with 1 and the seed when anything does not hold.
 */
import { openProxies } from "./open-proxies.ts";
import { runFromCommandLine } from "./run-from-command-line.ts";

await runFromCommandLine({
  command: "npm run chaos:rail",
  more: { proxies: 2 },
  openFront: ({ proxies = 0 }) => openProxies({ proxies }),
});
