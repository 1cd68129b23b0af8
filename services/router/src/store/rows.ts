/** Maps rows to domain objects. The JSON was written by this file, so it is not validated. */
import type { HeadMade, HeadRecord, ShadowTally } from "../domain/heads/head.ts";
import type { HeadRow } from "./tables.ts";

export function toHead(row: HeadRow): HeadRecord {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    version: row.version,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    trainedAt: row.trained_at,
    trainingMs: row.training_ms,
    settings: JSON.parse(row.settings) as HeadRecord["settings"],
    routes: JSON.parse(row.routes) as HeadRecord["routes"],
    made: row.made === null ? null : (JSON.parse(row.made) as HeadMade),
    shadow: {
      n: row.shadow_n,
      agreed: row.shadow_agreed,
      labelled: row.shadow_labelled,
      liveCorrect: row.shadow_live_correct,
      shadowCorrect: row.shadow_correct,
    },
  };
}

export function tallyColumns({ n, agreed, labelled, liveCorrect, shadowCorrect }: ShadowTally) {
  return {
    shadow_n: n,
    shadow_agreed: agreed,
    shadow_labelled: labelled,
    shadow_live_correct: liveCorrect,
    shadow_correct: shadowCorrect,
  };
}

export function madeColumns(made: HeadMade) {
  return { sha256: made.sha256, made: JSON.stringify(made) };
}
