/** How far this machine can shut an agent in: the one place that looks. */
import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";

export const ISOLATION_WISHES = ["auto", ...ISOLATION_LEVELS] as const;
export type IsolationWish = (typeof ISOLATION_WISHES)[number];

/** What is built: a folder and an environment of its own for each run. */
const BEST: IsolationLevel = "worktree";

/** Throws where more is asked for than there is: a level is never lowered in silence. */
export function isolationHere(wish: IsolationWish): IsolationLevel {
  if (wish === "auto") return BEST;
  if (ISOLATION_LEVELS.indexOf(wish) > ISOLATION_LEVELS.indexOf(BEST))
    throw new Error(`--isolation ${wish}: this version of the worker has ${BEST} at most.`);
  return wish;
}
