import type { ModelAccess } from "../../src/sandbox/network.ts";

/** A worker without keys, that reaches no host. */
export const NO_MODELS: ModelAccess = { providers: [], addressOf: async () => null };
