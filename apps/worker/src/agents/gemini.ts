/** `gemini --acp`. */
import type { AcpCli } from "./acp.ts";

export const gemini: AcpCli = {
  name: "gemini",
  program: "gemini",
  since: "0.50.0",
  install: "npm install --global @google/gemini-cli",
  provider: "gemini",
  auth: "gemini-api-key",
  modes: { rw: "default", ro: "plan" },
  begin({ model }, { address, pass }) {
    return {
      args: ["--acp", "--skip-trust", ...(model === null ? [] : ["--model", model])],
      environment: {
        GEMINI_API_KEY: pass,
        ...(address !== null && { GOOGLE_GEMINI_BASE_URL: address }),
        GEMINI_TELEMETRY_ENABLED: "false",
        // Without this, it restarts itself with a larger heap, which takes a third of its startup CPU time.
        GEMINI_CLI_NO_RELAUNCH: "true",
      },
    };
  },
};
