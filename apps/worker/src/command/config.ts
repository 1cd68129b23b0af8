/** The environment of `triptych worker`, besides proxies and certificates of the machine. Options take precedence. */
import { tracingVariables } from "@triptych/config";
import { Type, type TString } from "typebox";
import { PROVIDERS } from "../model-proxy/providers.ts";

export const CACHE_GB = 10;

const variables: Record<string, TString> = {};
for (const { id, key, address, baseUrl } of PROVIDERS) {
  variables[key] = Type.String({ description: `API key of ${id}, for agents of this worker`, secret: true });
  variables[address] = Type.String({
    pattern: "^https?://[^?#@]+$",
    description: `http(s) URL of ${id} or of a compatible server, without user and query`,
    unset: `\`${baseUrl}\``,
  });
}

export const WorkerConfig = Type.Object({
  PANEL_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^?#]+$",
      description: "http(s) URL of the panel that assigns runs",
      unset: "`http://127.0.0.1:7001`",
    }),
  ),
  PANEL_TOKEN: Type.Optional(
    Type.String({
      description: "license key of the account; read unless `--token` or `--token-file` is set",
      secret: true,
    }),
  ),
  TRIPTYCH_DATA: Type.String({
    default: ".triptych",
    description: "data folder of clones and runs, in `worker/<name>`",
  }),
  WORKER_ALLOW_ROOT: Type.Optional(
    Type.Enum(["0", "1"], { description: "1 allows a worker to run as root without a sandbox", unset: "`0`" }),
  ),
  WORKER_CACHE_GB: Type.Optional(
    Type.String({
      pattern: "^(?:0|[1-9][0-9]{0,4})$",
      description: "gigabytes of disk for cached dependencies of repositories (0-99999); 0 disables the cache",
      unset: `\`${CACHE_GB}\``,
    }),
  ),
  ...tracingVariables(),
  ...Object.fromEntries(Object.entries(variables).map(([name, schema]) => [name, Type.Optional(schema)])),
});
