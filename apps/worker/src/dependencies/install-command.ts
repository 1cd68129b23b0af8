/**
 * Splits a setup command into the part that installs dependencies, whose result is cached, and the rest, which runs in each run. The
 * result of `npm ci` depends on lock file and manifests only, that of any other command on every file of the commit.
 */

export interface SetupParts {
  readonly install: string;
  /** Runs after the install, cached or not. */
  readonly rest: string | null;
  /** Whether lock file and manifests decide the result of `install`. */
  readonly isLocked: boolean;
}

const FLAGS = "(?: --(?:no-audit|no-fund|no-progress|ignore-scripts|prefer-offline|legacy-peer-deps|silent|quiet))*";
const LOCKED = new RegExp(`^npm (?:ci|clean-install)${FLAGS}$`);

export function splitSetup(command: string): SetupParts {
  const text = command.trim();
  const at = text.indexOf("&&");
  const first = (at === -1 ? text : text.slice(0, at)).trim();
  const rest = at === -1 ? null : text.slice(at + 2).trim();
  if (LOCKED.test(first) && rest !== "") return { install: first, rest, isLocked: true };
  return { install: command, rest: null, isLocked: false };
}
