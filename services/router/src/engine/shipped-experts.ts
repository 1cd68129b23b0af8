import type { Head } from "@triptych/decisions";
import type { Expert } from "../domain/experts.ts";

interface ExpertFacts {
  readonly languages: readonly string[];
  readonly auto: boolean;
  readonly domain: string | null;
}

const EXPERT_FACTS: Readonly<Record<string, ExpertFacts>> = {
  tools: { languages: ["en", "fr"], auto: true, domain: null },
  helpdesk: { languages: ["en", "fr"], auto: false, domain: null },
  banking: { languages: ["en"], auto: false, domain: "banking" },
  assistant: { languages: ["en"], auto: false, domain: null },
};
const UNKNOWN: ExpertFacts = { languages: [], auto: false, domain: null };

export function expertsOfRelease(heads: ReadonlyMap<string, Head>): readonly Expert[] {
  return [...heads].map(([name, head]) => expertOf(name, head));
}

function expertOf(name: string, head: Head): Expert {
  return {
    name,
    kind: "shipped",
    headId: null,
    version: 1,
    head,
    ...(EXPERT_FACTS[name] ?? UNKNOWN),
    gate: "floor",
    floor: null,
    accuracy: figureIn(head, "accuracy"),
    ece: figureIn(head, "ece"),
    shadows: [],
  };
}

function figureIn({ card }: Head, name: string): number | null {
  const { report } = card;
  if (typeof report !== "object" || report === null || Array.isArray(report)) return null;
  const figure: unknown = Reflect.get(report, name);
  return typeof figure === "number" ? figure : null;
}
