/** Git as the panel runs it: on bare repositories that it owns. */
import { createGit, gitEnvironment, type Environment, type Git, type Settings } from "@triptych/git";

/** Read for each call: the path may change after the import. */
function baseEnvironment(): Environment {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent" };
}

const SETTINGS: Settings = {
  "core.bigFileThreshold": "64m",
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  // The panel owns the folders, whichever user runs it.
  "safe.directory": "*",
};

export function panelGit(gitFolder: string): Git {
  return createGit({ gitFolder, environment: baseEnvironment(), settings: SETTINGS });
}

/** For a git that is not run to its end by `panelGit`. */
export function panelGitEnvironment(settings: Settings): Environment {
  return gitEnvironment({ environment: baseEnvironment(), settings: { ...SETTINGS, ...settings } });
}
