/** `qwen --acp`. */
import type { AcpCli } from "./acp.ts";
import { USUAL_OPENAI_MODEL } from "./cli.ts";

export const qwen: AcpCli = {
  name: "qwen",
  program: "qwen",
  since: "0.20.0",
  install: "npm install --global @qwen-code/qwen-code",
  provider: "openai",
  auth: null,
  // Its own default mode lets a model decide about permissions, which costs calls, although the worker decides anyway.
  modes: { rw: "default", ro: "plan" },
  begin({ model }, { address, pass }) {
    return {
      args: ["--acp", "--auth-type", "openai", ...(model === null ? [] : ["--model", model])],
      environment: {
        ...(address !== null && { OPENAI_BASE_URL: address, OPENAI_API_KEY: pass }),
        OPENAI_MODEL: model ?? USUAL_OPENAI_MODEL,
        QWEN_TELEMETRY_ENABLED: "false",
        // Without this, it restarts itself with a larger heap, which takes a third of its startup CPU time.
        QWEN_CODE_NO_RELAUNCH: "true",
      },
    };
  },
};
