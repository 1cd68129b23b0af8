/**
 * `npm run chaos:rail -- --seed N --kills N --store sqlite|postgres --callers N --proxies N --audit-every N`: kills the
 * rail and its gateways under load and judges the ledger after each round. On a violation it prints the seed and exits
 * with 1.
 */
import { openProxies } from "./open-proxies.ts";
import { runFromCommandLine } from "./run-from-command-line.ts";

await runFromCommandLine({
  command: "npm run chaos:rail",
  more: { proxies: 2 },
  openFront: ({ proxies = 0 }) => openProxies({ proxies }),
});
