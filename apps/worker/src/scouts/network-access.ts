/** Network access of a scout, which differs from that of the repository's commands. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Fetch } from "./reading/reach-address.ts";
import { findProgram } from "../agents/find-program.ts";
import type { ScanTools } from "./scan/pin-releases.ts";
import type { AskRegistry } from "./scan/registry.ts";

/** External services of a scout. */
export interface NetworkAccess {
  readonly fetch: Fetch & AskRegistry;
  /** Throws a message if no registry is configured. */
  readonly registryAddress: () => Promise<string>;
  readonly tools: Omit<ScanTools, "fetch">;
}

const NPM_MS = 15_000;
const TOOL_MS = 30_000;
/** Enough for a repository with thousands of tags. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
/** What tools need to reach the network; no tokens. */
const PASSED_ON =
  /^(?:PATH|HOME|LANG|TMPDIR|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CAINFO|PIP_INDEX_URL|(?:https?|no|all)_proxy)$/i;

/** Uses the platform's `fetch` and the npm registry of this machine, never a registry that the repository names. */
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
    tools: {
      actionsUrl: "https://github.com",
      has: async (program) => (await findProgram(program, environment)) !== undefined,
      async print([program, ...args]) {
        const passed = Object.entries(environment).filter(([name]) => PASSED_ON.test(name));
        const execution = promisify(execFile)(program, args, {
          cwd: "/",
          // Git must neither ask for a password nor read the configuration of the worker's user.
          env: {
            ...Object.fromEntries(passed),
            GIT_TERMINAL_PROMPT: "0",
            GIT_CONFIG_NOSYSTEM: "1",
            GIT_CONFIG_GLOBAL: "/dev/null",
          },
          timeout: TOOL_MS,
          maxBuffer: OUTPUT_BYTES_MAX,
        });
        return execution.then(
          ({ stdout }) => stdout,
          () => null,
        );
      },
    },
  };
}
