/** A machine without tools of other ecosystems, and a repository without protected paths. */
import type { ScanContext } from "../../src/scouts/scan/check.ts";

export const NO_TOOLS = {
  tools: {
    has: async () => false,
    print: async () => null,
    fetch: () => Promise.reject(new Error("no network here")),
    actionsUrl: "https://actions.test",
  },
  isProtected: () => false,
} satisfies Pick<ScanContext, "tools" | "isProtected">;
