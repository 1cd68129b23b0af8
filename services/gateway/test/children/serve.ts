/** A service in a process of its own, for tests that kill it or read its log. It goes with its parent, however that ends. */

const SERVICES = {
  gateway: () => import("../../src/service.ts"),
  rail: () => import("@triptych/rail"),
  router: () => import("@triptych/router"),
} as const;

process.on("disconnect", () => process.exit());
const named = Object.entries(SERVICES).find(([name]) => name === process.argv[2]);
if (named === undefined) throw new Error("The first argument names the service.");
const { start } = await named[1]();
const { url } = await start(process.env);
process.send?.(url);
