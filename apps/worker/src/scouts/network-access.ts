/** The network of a scout, which is not the network of the repository's commands. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Fetch } from "./reading/reach-address.ts";
import type { AskRegistry } from "./scan/registry.ts";

/** External services of a scout. */
export interface NetworkAccess {
  readonly fetch: Fetch & AskRegistry;
  /** Throws a message where no registry is configured. */
  readonly registryAddress: () => Promise<string>;
}

const NPM_MS = 15_000;

/** The platform's `fetch`, and npm's registry on this machine: a registry named by the repository is not used. */
export function networkAccessOf(environment: Readonly<Record<string, string | undefined>>): NetworkAccess {
  return {
    fetch: (url, options) => fetch(url, options),
    async registryAddress() {
      const named = environment["npm_config_registry"] ?? environment["NPM_CONFIG_REGISTRY"];
      if (named !== undefined) return named;
      const { PATH, HOME } = environment;
      const execution = promisify(execFile)("npm", ["config", "get", "registry"], {
        cwd: "/",
        env: { PATH, HOME },
        timeout: NPM_MS,
      });
      const address = await execution.then(
        ({ stdout }) => stdout.trim(),
        () => "",
      );
      if (!/^https?:\/\//.test(address)) throw new Error("npm on this worker has no registry configured");
      return address;
    },
  };
}
