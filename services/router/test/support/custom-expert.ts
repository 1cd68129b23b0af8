/** Custom heads: shipped ones under other names, with the test's settings. */
import type { Expert } from "../../src/domain/experts.ts";
import { expertsOfRelease } from "../../src/engine/shipped-experts.ts";
import { smallArtifacts } from "./small-artifacts.ts";

export function customExpert(name: string, settings: Partial<Expert> & { readonly like?: string } = {}): Expert {
  const { like = "helpdesk", ...own } = settings;
  const shipped = expertsOfRelease(smallArtifacts().experts).find((expert) => expert.name === like);
  if (shipped === undefined) throw new Error(`the small release has no expert ${like}`);
  return { ...shipped, name, kind: "custom", headId: `hed_${name}`, auto: false, ...own };
}

/** Abstains unless one route is left, and always keeps two. */
export function undecidedExpert(name: string): Expert {
  const expert = customExpert(name, { gate: "conformal" });
  const { head } = expert;
  return {
    ...expert,
    head: { ...head, decide: (encoding, among) => ({ ...head.decide(encoding, among), confidence: 0.9, set: [0, 1] }) },
  };
}
