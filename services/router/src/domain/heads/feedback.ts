import { FEEDBACK_DAYS, FEEDBACK_ROWS_MAX, RECALIBRATION_ROWS_MIN } from "@triptych/contracts";
import type { Engine } from "../engine.ts";
import type { Expert } from "../experts.ts";
import { chooseByHead } from "../route-choice.ts";
import { feedbackFigures } from "./feedback-figures.ts";
import type {
  FeedbackScope,
  FeedbackRow,
  FeedbackStore,
  FeedbackNotice,
  HeadFiles,
  HeadStore,
  Once,
} from "./head-store.ts";
import type { OwnedExperts } from "./owned-experts.ts";
import type { Shadowing } from "./shadow-evaluation.ts";
import type { YieldToEventLoop } from "./training-request.ts";
import type { Recalibration, Trainer, TrainerSlot } from "./trainer.ts";

export interface FeedbackItem {
  readonly state: string;
  readonly context: string;
  readonly route: string | null;
  readonly decided: string | null;
  readonly confidence: number | null;
  readonly requestId: string | null;
}

export interface FeedbackParts {
  readonly engine: Pick<Engine, "encodeFor">;
  readonly store: FeedbackStore;
  readonly heads: Pick<HeadStore, "find" | "recalibrate">;
  readonly files: HeadFiles;
  readonly trainer: Trainer;
  readonly experts: Pick<OwnedExperts, "forget">;
  readonly shadowing: Pick<Shadowing, "count">;
  /** Called between texts, because a thousand of them can take seconds. */
  readonly yieldToEvents: YieldToEventLoop;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
}

export type FeedbackResult =
  | (FeedbackNotice & { readonly kind: "recorded"; readonly isReplayed: boolean })
  /** `queue_full`: the training queue has no free slot, and nothing was written. `running`: the same call is still in progress. */
  | { readonly kind: "other_payload" | "queue_full" | "running" };

export interface Feedback {
  /** `recalibrates` is allowed for custom heads only. */
  record(
    owner: string,
    expert: Expert,
    items: readonly FeedbackItem[],
    how: { readonly once: Once | null; readonly recalibrates: boolean },
  ): Promise<FeedbackResult>;
  expire(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

export function createFeedback(parts: FeedbackParts): Feedback {
  const { store, trainer, now } = parts;
  /** Idempotency keys of calls in progress, with their owners. */
  const running = new Set<string>();

  async function record(
    owner: string,
    expert: Expert,
    items: readonly FeedbackItem[],
    { once, recalibrates }: { readonly once: Once | null; readonly recalibrates: boolean },
  ): Promise<FeedbackResult> {
    // Reserve the slot before the first write, so that a call rejected because of a full queue leaves no rows and can
    // be retried.
    const slot = recalibrates ? trainer.reserve() : null;
    if (recalibrates && slot === null) return { kind: "queue_full" };
    try {
      const added = await addRows(parts, { owner, expert, items, once });
      if (added === null) return { kind: "other_payload" };
      const recalibration = slot === null ? null : await recalibrate(parts, { owner, expert, slot });
      if (once !== null) await store.saveNotice(owner, once, { figures: added.figures, recalibration });
      return { kind: "recorded", ...added, recalibration };
    } finally {
      slot?.release();
    }
  }

  return {
    /**
     * A repeated key returns the stored result without counting or fitting again. An interrupted call is completed: its
     * rows are stored, and recalibrating on the same rows gives the same result.
     */
    async record(owner, expert, items, how) {
      const { once } = how;
      if (once === null) return await record(owner, expert, items, how);
      const recorded = await store.findNotice(owner, once, now());
      if (recorded.kind === "replayed") return { kind: "recorded", ...recorded.answer, isReplayed: true };
      if (recorded.kind === "other_payload") return recorded;
      const name = `${owner} ${once.key}`;
      if (running.has(name)) return { kind: "running" };
      running.add(name);
      try {
        return await record(owner, expert, items, how);
      } finally {
        running.delete(name);
      }
    },
    expire: () => store.expire({ before: since(parts), now: now() }),
  };
}

function since({ now }: Pick<FeedbackParts, "now">): number {
  return now() - FEEDBACK_DAYS * DAY_MS;
}

interface FeedbackCall {
  readonly owner: string;
  readonly expert: Expert;
  readonly items: readonly FeedbackItem[];
  readonly once: Once | null;
}

async function addRows(parts: FeedbackParts, { owner, expert, items, once }: FeedbackCall) {
  const { store, yieldToEvents } = parts;
  const scope = scopeOf(owner, expert);
  const rows: FeedbackRow[] = [];
  for (const item of items) {
    rows.push(await rowOf(parts, expert, item));
    await yieldToEvents();
  }
  const added = await store.add(scope, rows, { once, most: FEEDBACK_ROWS_MAX });
  if (added === "other_payload") return null;
  if (added === "added")
    for (const item of items) {
      await countShadows(parts, { owner, expert, item });
      await yieldToEvents();
    }
  const figures = feedbackFigures(await store.judged(scope, since(parts)), expert.accuracy);
  return { figures, isReplayed: added === "replayed" };
}

async function rowOf({ engine, newId, now }: FeedbackParts, expert: Expert, item: FeedbackItem): Promise<FeedbackRow> {
  const asksAgain = item.decided === null || item.confidence === null;
  const live = asksAgain ? chooseByHead(expert, await engine.encodeFor(item, () => [expert]), null) : null;
  const isOwn = expert.kind === "custom";
  return {
    id: newId("fbk"),
    at: now(),
    // For bundled experts, only statistics are stored; nothing is trained on their rows.
    state: isOwn ? item.state : null,
    context: isOwn ? item.context : "",
    route: item.route,
    decided: item.decided ?? live?.labels[live.choice] ?? "",
    confidence: item.confidence ?? live?.confidence ?? 0,
    requestId: item.requestId,
  };
}

/** Lets the live version and its shadows decide the text again, and compares each with the correct label. */
async function countShadows(
  { engine, shadowing }: FeedbackParts,
  { owner, expert, item }: { readonly owner: string; readonly expert: Expert; readonly item: FeedbackItem },
): Promise<void> {
  if (expert.shadows.length === 0) return;
  const encoding = await engine.encodeFor(item, () => [expert]);
  const isRight = (candidate: Expert) => {
    const { labels, choice } = chooseByHead(candidate, encoding, null);
    return labels[choice] === item.route ? 1 : 0;
  };
  const liveCorrect = isRight(expert);
  for (const shadow of expert.shadows)
    if (shadow.headId !== null)
      shadowing.count(owner, shadow.headId, { labelled: 1, liveCorrect, shadowCorrect: isRight(shadow) });
}

async function recalibrate(
  parts: FeedbackParts,
  { owner, expert, slot }: { readonly owner: string; readonly expert: Expert; readonly slot: TrainerSlot },
): Promise<Recalibration> {
  const { heads, store, files, experts } = parts;
  const head = expert.headId === null ? null : await heads.find(owner, expert.headId);
  const made = head?.made ?? null;
  if (head === null || made === null) throw new Error("Only a trained head can be recalibrated.");
  const rows = await store.texts(scopeOf(owner, expert), since(parts));
  const none = { isApplied: false, revision: made.revision, rows: rows.length };
  if (rows.length < RECALIBRATION_ROWS_MIN) return none;
  const bytes = await files.get({ headId: head.id, sha256: made.sha256 });
  if (bytes === null) throw new Error(`The file of head ${head.id} is missing.`);
  const job = { bytes, rows: rows.map(({ state, context, route }) => ({ text: state ?? "", context, route })) };
  const { file, ...figures } = await slot.recalibrate(job);
  if (file === null) return { ...none, ...figures };

  await files.write({ headId: head.id, sha256: file.made.sha256 }, file.bytes);
  // If a concurrent recalibration won, its result stays: it used the same weights and nearly the same rows.
  const isApplied = await heads.recalibrate(owner, head.id, { before: made.sha256, made: file.made });
  await files.remove({ headId: head.id, sha256: isApplied ? made.sha256 : file.made.sha256 });
  experts.forget(owner);
  return { ...figures, isApplied, revision: isApplied ? file.made.revision : made.revision };
}

function scopeOf(owner: string, { headId, name }: Expert): FeedbackScope {
  return { owner, about: headId ?? name };
}
