/**
 * @param {import("./i18n.js").Translator} words
 * @param {{ plan: "discovery" | "pro" | null, total: number, asPoints: boolean, counted: number, without: number, off: number }} state
 * @returns {{ text: string, offerAll: boolean }}
 */
export function describeMap({ say }, { plan, total, asPoints, counted, without, off }) {
  if (plan === null || total === 0) return { text: "", offerAll: false };
  if (asPoints) {
    const missing = [without > 0 && say("noLocation", { count: without }), off > 0 && say("offMap", { count: off })];
    return { text: missing.filter((part) => part !== false).join(" · "), offerAll: false };
  }
  const rest = total > counted ? ` ${say("noDepartement", { count: total - counted })}.` : "";
  const why = say(plan === "discovery" ? "countsDiscovery" : "countsMany");
  return { text: `${why}${rest}`, offerAll: plan === "pro" };
}
