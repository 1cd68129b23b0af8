/** Git as the panel runs it: on bare repositories that it owns. */
import { createGit, gitEnvironment, type Environment, type Git, type Settings } from "@triptych/git";

/** Read for each call, because PATH may change after the import. */
function baseEnvironment(): Environment {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent" };
}

const SETTINGS: Settings = {
  "core.bigFileThreshold": "64m",
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  // The folders belong to the panel, whichever user runs it.
  "safe.directory": "*",
};

export function panelGit(gitFolder: string): Git {
  return createGit({ gitFolder, environment: baseEnvironment(), settings: SETTINGS });
}

/** For git processes that `panelGit` does not run to their end. */
export function panelGitEnvironment(settings: Settings): Environment {
  return gitEnvironment({ environment: baseEnvironment(), settings: { ...SETTINGS, ...settings } });
}
