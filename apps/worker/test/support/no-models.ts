import type { ModelAccess } from "../../src/enclosure/network.ts";

/** A worker without any key, that reaches no host. */
export const NO_MODELS: ModelAccess = { providers: [], addressOf: async () => null };
