/** The decision engine as the domain asks for it: its models have the domain's shapes already, so they are only put together. */
import { log, thresholdFor, type Artifacts } from "@triptych/decisions";
import type { Engine } from "../domain/engine.ts";
import { keepingVocabularies } from "./keeping-vocabularies.ts";

export function engineOf({ trunk, options, noul, score, domain }: Artifacts): Engine {
  return {
    trunk: trunk.sha256,
    encode: (state, context) => trunk.encode(state, context),
    options: keepingVocabularies(options),
    noul,
    score,
    domain,
    thresholdFor,
    log,
  };
}
