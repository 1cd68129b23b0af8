/**
 * Several services in one process, for tests that kill it or read its log. It exits with its parent, however the parent
 * ends.
 */

const SERVICES = {
  gateway: () => import("../../src/service.ts"),
  rail: () => import("@triptych/rail"),
  router: () => import("@triptych/router"),
} as const;

process.on("disconnect", () => process.exit());
const urls: string[] = [];
for (const [name, load] of Object.entries(SERVICES))
  if (process.argv.includes(name)) urls.push((await (await load()).start(process.env)).url);
process.send?.(urls);
