/**
 * Returns the domain of a request (one of ten) if the confidence is high enough. The model is a head over domains, in
 * its own file. Pure.
 */
import { numberIn } from "../artifact/header-values.ts";
import { loadHead } from "../head/load-head.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import { readSignals } from "./features-file.ts";

export interface DomainDecision {
  readonly domain: string | null;
  /** Confidence of the most likely domain, even if it is not returned. */
  readonly confidence: number;
}

export interface Domain {
  readonly sha256: string;
  readonly domains: readonly string[];
  decide(encoding: Encoding): DomainDecision;
}

export function openDomain(bytes: Uint8Array, trunk: Trunk): Domain {
  const { sha256, header, body } = readSignals(bytes, "domain", trunk.sha256);
  const floor = numberIn(header, "floor");
  const head = loadHead(body, trunk, { stays: true });
  return {
    sha256,
    domains: head.routes.map(({ route }) => route),
    decide(encoding) {
      const { choice, confidence } = head.decide(encoding);
      return { domain: confidence >= floor ? head.routes[choice].route : null, confidence };
    },
  };
}
