/** What people say would have been right: counted, held against versions in the shadow, and used to calibrate the head anew. */
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
  /** Null: as it would be decided now. */
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
  /** Between two texts: a thousand of them can take seconds. */
  readonly breathe: YieldToEventLoop;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
}

export type FeedbackResult =
  | (FeedbackNotice & { readonly kind: "heard"; readonly isReplayed: boolean })
  /** `queue_full`: no training thread has room for the recalibration, and nothing was written down. `running`: this very call still is. */
  | { readonly kind: "other_payload" | "queue_full" | "running" };

export interface Feedback {
  /** `recalibrates`: of a head of the owner only. */
  record(
    owner: string,
    expert: Expert,
    items: readonly FeedbackItem[],
    how: { readonly once: Once | null; readonly recalibrates: boolean },
  ): Promise<FeedbackResult>;
  /** Removes what is too old. */
  expire(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

export function createFeedback(parts: FeedbackParts): Feedback {
  const { engine, store, heads, files, trainer, now } = parts;
  /** Keys of calls under way, with their owners. */
  const running = new Set<string>();
  const since = () => now() - FEEDBACK_DAYS * DAY_MS;

  /** As it was decided, or as it is decided now. */
  async function rowOf(expert: Expert, item: FeedbackItem): Promise<FeedbackRow> {
    const asksAgain = item.decided === null || item.confidence === null;
    const live = asksAgain ? chooseByHead(expert, await engine.encodeFor(item, () => [expert]), null) : null;
    const isOwn = expert.kind === "custom";
    return {
      id: parts.newId("fbk"),
      at: now(),
      // Of a shipped expert only figures are kept: nothing is ever learned from its rows.
      state: isOwn ? item.state : null,
      context: isOwn ? item.context : "",
      route: item.route,
      decided: item.decided ?? live?.labels[live.choice] ?? "",
      confidence: item.confidence ?? live?.confidence ?? 0,
      requestId: item.requestId,
    };
  }

  /** Live version and shadows decide it again, and are held against the right answer. */
  async function holdShadows(owner: string, expert: Expert, item: FeedbackItem): Promise<void> {
    if (expert.shadows.length === 0) return;
    const encoding = await engine.encodeFor(item, () => [expert]);
    const isRight = (candidate: Expert) => {
      const { labels, choice } = chooseByHead(candidate, encoding, null);
      return labels[choice] === item.route ? 1 : 0;
    };
    const liveCorrect = isRight(expert);
    for (const shadow of expert.shadows)
      if (shadow.headId !== null)
        parts.shadowing.count(owner, shadow.headId, { labelled: 1, liveCorrect, shadowCorrect: isRight(shadow) });
  }

  /** Writes down what was said, and answers how the head stands. */
  async function keep(owner: string, expert: Expert, items: readonly FeedbackItem[], once: Once | null) {
    const scope = scopeOf(owner, expert);
    const rows: FeedbackRow[] = [];
    for (const item of items) {
      rows.push(await rowOf(expert, item));
      await parts.breathe();
    }
    const added = await store.add(scope, rows, { once, most: FEEDBACK_ROWS_MAX });
    if (added === "other_payload") return null;
    if (added === "kept")
      for (const item of items) {
        await holdShadows(owner, expert, item);
        await parts.breathe();
      }
    const figures = feedbackFigures(await store.judged(scope, since()), expert.accuracy);
    return { figures, isReplayed: added === "replayed" };
  }

  async function recalibrate(owner: string, expert: Expert, slot: TrainerSlot): Promise<Recalibration> {
    const head = expert.headId === null ? null : await heads.find(owner, expert.headId);
    const made = head?.made ?? null;
    if (head === null || made === null) throw new Error("Only a head that was made is recalibrated.");
    const rows = await store.texts(scopeOf(owner, expert), since());
    const none = { isApplied: false, revision: made.revision, rows: rows.length };
    if (rows.length < RECALIBRATION_ROWS_MIN) return none;
    const bytes = await files.get({ headId: head.id, sha256: made.sha256 });
    if (bytes === null) throw new Error(`The file of head ${head.id} is not there.`);
    const job = { bytes, rows: rows.map(({ state, context, route }) => ({ text: state ?? "", context, route })) };
    const { file, ...figures } = await slot.recalibrate(job);
    if (file === null) return { ...none, ...figures };

    await files.write({ headId: head.id, sha256: file.made.sha256 }, file.bytes);
    // Whoever was faster has fitted the same weights to nearly the same rows: theirs stays.
    const isApplied = await heads.recalibrate(owner, head.id, { before: made.sha256, made: file.made });
    await files.remove({ headId: head.id, sha256: isApplied ? made.sha256 : file.made.sha256 });
    parts.experts.forget(owner);
    return { ...figures, isApplied, revision: isApplied ? file.made.revision : made.revision };
  }

  async function record(
    owner: string,
    expert: Expert,
    items: readonly FeedbackItem[],
    { once, recalibrates }: { readonly once: Once | null; readonly recalibrates: boolean },
  ): Promise<FeedbackResult> {
    // Taken before anything is written: a call that is refused for want of room has told us nothing, and may come again.
    const slot = recalibrates ? trainer.reserve() : null;
    if (recalibrates && slot === null) return { kind: "queue_full" };
    try {
      const added = await keep(owner, expert, items, once);
      if (added === null) return { kind: "other_payload" };
      const recalibration = slot === null ? null : await recalibrate(owner, expert, slot);
      if (once !== null) await store.saveNotice(owner, once, { figures: added.figures, recalibration });
      return { kind: "heard", ...added, recalibration };
    } finally {
      slot?.release();
    }
  }

  return {
    /**
     * A key is told what it was told before, and nothing is counted or fitted again. A call that was cut off is carried to its end: its
     * rows are there, and a calibration of rows that were fitted before comes out as it did.
     */
    async record(owner, expert, items, how) {
      const { once } = how;
      if (once === null) return await record(owner, expert, items, how);
      const recorded = await store.findNotice(owner, once, now());
      if (recorded.kind === "told") return { kind: "heard", ...recorded.answer, isReplayed: true };
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
    expire: () => store.expire({ before: since(), now: now() }),
  };
}

function scopeOf(owner: string, { headId, name }: Expert): FeedbackScope {
  return { owner, about: headId ?? name };
}
