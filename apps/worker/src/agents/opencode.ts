/** `opencode acp`. Settings are one environment variable, so that files of the machine do not change them. */
import type { AcpCli } from "./acp.ts";
import { USUAL_OPENAI_MODEL } from "./cli.ts";

export const opencode: AcpCli = {
  name: "opencode",
  program: "opencode",
  since: "1.0.0",
  install: "npm install --global opencode-ai",
  provider: "openai",
  auth: null,
  modes: { rw: "build", ro: "plan" },
  begin({ mode, model }, { address, pass }) {
    const leave = mode === "ro" ? "deny" : "ask";
    const settings = {
      autoupdate: false,
      share: "disabled",
      permission: { edit: leave, bash: leave, webfetch: "deny" },
      ...(address === null
        ? model !== null && { model }
        : modelProxyConfig(address, pass, model ?? USUAL_OPENAI_MODEL)),
    };
    return {
      args: ["acp", "--pure"],
      environment: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
    };
  },
};

function modelProxyConfig(baseURL: string, apiKey: string, model: string) {
  const proxy = {
    npm: "@ai-sdk/openai-compatible",
    name: "proxy",
    options: { baseURL, apiKey },
    models: { [model]: { name: model } },
  };
  return { model: `proxy/${model}`, provider: { proxy }, enabled_providers: ["proxy"] };
}
