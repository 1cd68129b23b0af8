import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";
import type { RunFacts, RunSpec } from "./records.ts";

export function isBelow(level: IsolationLevel, minimum: IsolationLevel): boolean {
  return ISOLATION_LEVELS.indexOf(level) < ISOLATION_LEVELS.indexOf(minimum);
}

export function atLeast(minimum: IsolationLevel, level: IsolationLevel): IsolationLevel {
  return isBelow(level, minimum) ? minimum : level;
}

interface IsolationSettings {
  readonly spec: RunSpec;
  readonly facts: RunFacts;
}

/** Raises a queued run to the operator's minimum, which may have been raised since. */
export function raiseIsolation<R extends IsolationSettings>(run: R, minimum: IsolationLevel): R {
  const { settings } = run.spec;
  if (!isBelow(settings.isolation.level_required, minimum)) return run;
  const isolation = { ...settings.isolation, level_required: minimum };
  const warnings = [...new Set([...run.facts.warnings, "isolation_raised"])];
  return { ...run, spec: { ...run.spec, settings: { ...settings, isolation } }, facts: { ...run.facts, warnings } };
}
