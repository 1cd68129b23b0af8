import { ISOLATION_LEVELS } from "@triptych/contracts";
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";
import { PRICES_FORM } from "./prices.ts";

const onOrOff = (description: string) => Type.Enum(["0", "1"], { description });
const AUTHOR = /^([^<>\r\n\t]*[^<>\s]) <([^<>\s]+)>$/;
const perMinute = (byDefault: number, of: string) =>
  Type.Integer({
    default: byDefault,
    minimum: 1,
    maximum: 10_000_000,
    description: `maximum number of ${of} per minute and account, 1 or more`,
  });

export const PanelConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  PANEL_PORT: Type.Integer({
    default: 7001,
    minimum: 0,
    maximum: 65_535,
    description: "port to listen on; 0 for any free port",
  }),
  PANEL_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "public http(s) URL of the panel, without query; with https, cookies are Secure",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "data folder" }),
  TRIPTYCH_SECRET: Type.Optional(
    Type.String({ description: "encryption secret of the installation; required in production" }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres:// URL; SQLite in TRIPTYCH_DATA when unset",
    }),
  ),
  NODE_ENV: Type.String({ default: "development", description: "`production` creates no demo accounts" }),
  ...connectionVariables({ max: 12_000, maxPerAddress: 2_000 }),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  TRUSTED_PROXIES: Type.Optional(
    Type.String({
      pattern: "^[0-9a-fA-F.:/]+(,[0-9a-fA-F.:/]+)*$",
      description: "comma-separated addresses and networks of proxies whose X-Forwarded-For is trusted",
    }),
  ),
  PANEL_EMBEDDED_WORKER: Type.Optional(
    onOrOff("0 disables the embedded worker and the demo run; both are always disabled in production"),
  ),
  PANEL_ALLOW_LOCAL_REPOS: Type.Optional(onOrOff("1 allows repos in folders of this machine")),
  PANEL_ALLOW_PRIVATE_HOSTS: Type.Optional(
    onOrOff("1 allows repos in private networks; defaults to 1 outside production"),
  ),
  PANEL_CHECK_REPOS: Type.Optional(
    onOrOff("0 disables the automatic command check of new repos; POST /api/repos/{id}/check still works"),
  ),
  PANEL_ISOLATION_MIN: Type.Optional(
    Type.Enum([...ISOLATION_LEVELS], {
      description:
        "minimum isolation of every run: none, worktree, sandbox or container; defaults to sandbox in production, otherwise none",
    }),
  ),
  PANEL_LEASE_S: Type.Integer({
    default: 45,
    minimum: 2,
    maximum: 600,
    description: "lease of a run without heartbeat, 2 to 600 seconds",
  }),
  PANEL_HEARTBEAT_S: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 150,
    description: "heartbeat interval of workers, 1 to 150 seconds; at most a quarter of the lease",
  }),
  PANEL_BROADCAST_WAIT_MS: Type.Integer({
    default: 150,
    minimum: 0,
    maximum: 1_000,
    description: "timeout of a key rotation for the counts of other nodes, 0 to 1000 milliseconds",
  }),
  PANEL_BLOB_DIR: Type.Optional(
    Type.String({ description: "folder for bundles and artifacts, on a disk shared by all nodes" }),
  ),
  PANEL_COMMIT_AUTHOR: Type.Optional(
    Type.String({
      pattern: AUTHOR.source,
      maxLength: 200,
      description: "author of commits, `Name <address>`; `Triptych <triptych@localhost>` when unset",
    }),
  ),
  PANEL_MIRROR_MAX_MB: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_000_000,
    description: "maximum size of a mirrored repository, in MB; a larger one is unreachable",
  }),
  PANEL_DISK_RESERVE_MB: Type.Integer({
    default: 1_024,
    minimum: 0,
    maximum: 100_000_000,
    description: "free space to reserve on the disk of the mirrors, in MB; fetches stop below it",
  }),
  PANEL_PRICES: Type.Optional(Type.String({ description: PRICES_FORM })),
  PANEL_USD_EUR: Type.Number({
    default: 1,
    exclusiveMinimum: 0,
    maximum: 1_000,
    description: "euros per dollar, for costs that agents report in dollars; more than 0",
  }),
  PANEL_RATE_ALL: perMinute(1_200, "requests"),
  PANEL_RATE_RUNS: perMinute(120, "runs started"),
  PANEL_RATE_LICENSE: perMinute(120, "license rotations"),
  PANEL_RATE_PROBE: perMinute(6, "probes"),
  PANEL_RATE_PR: perMinute(60, "recovered pull requests"),
  PANEL_RATE_LOGIN: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 1_000,
    description:
      "failed sign-ins allowed in 15 minutes per IP address and email, 1 or more; four times as many per IP address",
  }),
});
export type PanelConfig = Static<typeof PanelConfig>;

export function readAuthor(text: string | undefined): { readonly name: string; readonly email: string } | null {
  const [, name, email] = AUTHOR.exec(text ?? "") ?? [];
  return name === undefined || email === undefined ? null : { name: name.trim(), email };
}
