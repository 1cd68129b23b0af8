import type { Translator } from "./i18n.ts";
import type { Summary } from "./layout.ts";

/** The sentence under the map, and whether to offer loading all points. */
export function describeMap(
  { say }: Translator,
  { plan, total, asPoints, counted, without, off }: Summary,
): { readonly text: string; readonly offerAll: boolean } {
  if (plan === null || total === 0) return { text: "", offerAll: false };
  if (asPoints) {
    const missing = [without > 0 && say("noLocation", { count: without }), off > 0 && say("offMap", { count: off })];
    return { text: missing.filter((part) => part !== false).join(" · "), offerAll: false };
  }
  const rest = total > counted ? ` ${say("noDepartement", { count: total - counted })}.` : "";
  const why = say(plan === "discovery" ? "countsDiscovery" : "countsMany");
  return { text: `${why}${rest}`, offerAll: plan === "pro" };
}
