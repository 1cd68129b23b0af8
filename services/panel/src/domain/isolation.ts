/** The order of isolation levels. */
import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";

export function isBelow(level: IsolationLevel, minimum: IsolationLevel): boolean {
  return ISOLATION_LEVELS.indexOf(level) < ISOLATION_LEVELS.indexOf(minimum);
}
