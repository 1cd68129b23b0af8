/**
 * Evaluates shadow versions after the response, when the event loop is idle. Only counts are stored. Under load,
 * evaluations are skipped.
 */
import type { Encoding } from "../engine.ts";
import type { Expert } from "../experts.ts";
import { chooseByHead, type RouteChoice } from "../route-choice.ts";
import { NO_TALLY, type ShadowTally } from "./head.ts";

export interface Decided {
  readonly owner: string;
  readonly chosen: RouteChoice;
  readonly encoding: Encoding;
}

export interface Shadowing {
  follow(decided: Decided): void;
  count(owner: string, headId: string, more: Partial<ShadowTally>): void;
  flush(): Promise<void>;
}

export interface ShadowingParts {
  /** Schedules work after pending events. */
  readonly later: (work: () => void) => void;
  readonly write: (owner: string, headId: string, more: ShadowTally) => Promise<void>;
}

/** Maximum queue length; further decisions are not evaluated. */
const WAITING_MOST = 1024;

export function createShadowing({ later, write }: ShadowingParts): Shadowing {
  const waiting: Decided[] = [];
  let tallies = new Map<string, { readonly owner: string; readonly headId: string; readonly tally: ShadowTally }>();

  const count = (owner: string, headId: string, more: Partial<ShadowTally>) => {
    const key = `${owner} ${headId}`;
    const { n, agreed, labelled, liveCorrect, shadowCorrect } = tallies.get(key)?.tally ?? NO_TALLY;
    const tally = {
      n: n + (more.n ?? 0),
      agreed: agreed + (more.agreed ?? 0),
      labelled: labelled + (more.labelled ?? 0),
      liveCorrect: liveCorrect + (more.liveCorrect ?? 0),
      shadowCorrect: shadowCorrect + (more.shadowCorrect ?? 0),
    };
    tallies.set(key, { owner, headId, tally });
  };

  /** Evaluates one decision per turn of the event loop, so that requests can run in between. */
  const observeNext = () => {
    const decided = waiting.shift();
    if (decided === undefined) return;
    for (const shadow of decided.chosen.expert?.shadows ?? []) compare(decided, shadow, count);
    if (waiting.length > 0) later(observeNext);
  };

  return {
    follow(decided) {
      if ((decided.chosen.expert?.shadows.length ?? 0) === 0 || waiting.length >= WAITING_MOST) return;
      waiting.push(decided);
      if (waiting.length === 1) later(observeNext);
    },
    count,
    async flush() {
      while (waiting.length > 0) observeNext();
      const counted = tallies;
      tallies = new Map();
      for (const { owner, headId, tally } of counted.values()) await write(owner, headId, tally);
    },
  };
}

/** Skips a shadow that does not have all allowed routes, because the two inputs would differ. */
function compare({ owner, chosen, encoding }: Decided, shadow: Expert, count: Shadowing["count"]): void {
  const { expert, labels, choice } = chosen;
  const isWhole = expert !== null && labels.length === expert.head.routes.length;
  const routes = new Set(shadow.head.routes.map(({ route }) => route));
  if (!isWhole && !labels.every((label) => routes.has(label))) return;
  const beside = chooseByHead(shadow, encoding, isWhole ? null : labels);
  const agreed = beside.labels[beside.choice] === labels[choice] ? 1 : 0;
  if (shadow.headId !== null) count(owner, shadow.headId, { n: 1, agreed });
}
