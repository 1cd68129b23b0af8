/** Git as the worker runs it: on the machine, for one run. */
import { createGit, type Git, type GitContext, type Settings } from "@triptych/git";

export type RunGitContext = Omit<GitContext, "settings">;

const SETTINGS: Settings = {
  "core.autocrlf": "false",
  "commit.gpgSign": "false",
  // Keeps each fetch in one pack, so that the file size limit also limits the fetch.
  "fetch.unpackLimit": "1",
  "protocol.http.allow": "always",
  "protocol.https.allow": "always",
  "protocol.file.allow": "always",
};

export function workerGit(context: RunGitContext): Git {
  return createGit({ ...context, settings: SETTINGS });
}

interface RemoteAccess {
  readonly url: string;
  readonly bearer: string | null;
  /** Address of a proxy. It is passed as a setting, because git's environment has none of the machine's proxy variables. */
  readonly proxy: string | null;
}

/** The settings of one fetch: a header for this address, and the proxy. */
export function fetchSettings({ url, bearer, proxy }: RemoteAccess): Settings {
  return {
    ...(bearer !== null && { [`http.${url}.extraHeader`]: `Authorization: Bearer ${bearer}` }),
    ...(proxy !== null && { "http.proxy": proxy }),
  };
}
