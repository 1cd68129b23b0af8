import { ISOLATION_LEVELS } from "@triptych/contracts";
import {
  connectionVariables,
  defineSettings,
  secretIssues,
  serviceVariables,
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
  TRUSTED_PROXIES,
  type Environment,
} from "@triptych/config";
import { Type, type Static } from "typebox";
import { blobIssues } from "./blobs/configured-blobs.ts";
import { PRICES_FORM, readPrices } from "./prices.ts";

const onOrOff = (description: string, unset: string) => Type.Enum(["0", "1"], { description, unset });
const AUTHOR = /^([^<>\r\n\t]*[^<>\s]) <([^<>\s]+)>$/;
const perMinute = (byDefault: number, of: string) =>
  Type.Integer({
    default: byDefault,
    minimum: 1,
    maximum: 10_000_000,
    description: `maximum number of ${of} per minute and account, 1 or more`,
  });

/** Location of bundles and artifacts. */
export const BLOB_VARIABLES = {
  BLOB_URL: Type.Optional(
    Type.String({
      description:
        "S3-compatible storage for bundles and artifacts: s3://bucket/prefix?endpoint=https://host&region=name",
      details:
        "The bucket must exist. Without `endpoint`, Amazon's of the region ([storage](backup.md#artifacts-in-s3-compatible-storage))",
    }),
  ),
  AWS_ACCESS_KEY_ID: Type.Optional(Type.String({ description: "access key for BLOB_URL" })),
  AWS_SECRET_ACCESS_KEY: Type.Optional(Type.String({ description: "secret access key for BLOB_URL", secret: true })),
  AWS_SESSION_TOKEN: Type.Optional(
    Type.String({ description: "token of temporary credentials for BLOB_URL", secret: true }),
  ),
  AWS_REGION: Type.Optional(
    Type.String({ pattern: "^[a-z0-9-]{1,40}$", description: "region for BLOB_URL without one", unset: "`us-east-1`" }),
  ),
  PANEL_BLOB_DIR: Type.Optional(
    Type.String({
      description: "folder for bundles and artifacts, on a disk shared by all nodes",
      unset: "the data folder, on PostgreSQL the database",
    }),
  ),
};

export const PanelConfig = Type.Object({
  ...serviceVariables(),
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
      unset: "the listening address",
      details: "Also the address for workers",
    }),
  ),
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
  ...connectionVariables({ max: 12_000, maxPerAddress: 2_000 }),
  TRUSTED_PROXIES,
  PANEL_EMBEDDED_WORKER: Type.Optional(
    onOrOff(
      "0 disables the embedded worker and the demo run; both are always disabled in production",
      "1 outside production",
    ),
  ),
  PANEL_ALLOW_LOCAL_REPOS: Type.Optional(
    onOrOff("1 allows repos in folders of this machine", "those in `demo` of the data folder, outside production"),
  ),
  PANEL_ALLOW_PRIVATE_HOSTS: Type.Optional(
    onOrOff("1 allows repos in private networks", "1 outside production, else 0"),
  ),
  PANEL_CHECK_REPOS: Type.Optional(
    onOrOff("0 disables the automatic command check of new repos; POST /api/repos/{id}/check still works", "1"),
  ),
  PANEL_FOLLOW_UP_POLL_S: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 3_600,
      description: "interval of polling open pull requests of repos with `follow_up`, 2 to 3600 seconds",
      unset: "60 in the hour after a push and while checks are pending, else 300",
      details: "Unset, a pull request costs at most 80 requests per hour; set, each poll reads everything",
    }),
  ),
  PANEL_ISOLATION_MIN: Type.Optional(
    Type.Enum([...ISOLATION_LEVELS], {
      description: "minimum isolation of every run: none, worktree, sandbox or container",
      unset: "sandbox in production, else none",
      details:
        "A lower setting of a repo is 403 `isolation_below_minimum`; a run of a repo with a lower setting from before is raised, with the warning `isolation_raised`",
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
    details: "Irrelevant on one node",
  }),
  ...BLOB_VARIABLES,
  PANEL_COMMIT_AUTHOR: Type.Optional(
    Type.String({
      pattern: AUTHOR.source,
      maxLength: 200,
      description: "author of commits, `Name <address>`",
      unset: "`Triptych <triptych@localhost>`",
      details: "Author and committer of the commits of runs; a forge shows the avatar of a known address",
    }),
  ),
  PANEL_MIRROR_MAX_MB: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_000_000,
    description: "maximum size of a mirrored repository, in MB; a larger one is unreachable",
    details:
      "A larger fetch is stopped and removed, with the reason in `status_reason`, and not tried again for 6 hours",
  }),
  PANEL_DISK_RESERVE_MB: Type.Integer({
    default: 1_024,
    minimum: 0,
    maximum: 100_000_000,
    description: "free space to reserve on the disk of the mirrors, in MB; fetches stop below it",
    details: "Services that share the disk continue",
  }),
  PANEL_PRICES: Type.Optional(
    Type.String({
      description: PRICES_FORM,
      details:
        "`cached` defaults to `input`. Workers use them to enforce `max_cost_micro`; for other models the agent's report counts, and without one only the token cap applies",
    }),
  ),
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
    details:
      "IPv6: by /64. After four times as many by email, one attempt a minute, except from addresses where its owner signed in",
  }),
});
export type PanelConfig = Static<typeof PanelConfig>;

/** Issues that the schema cannot find, because prices are JSON. */
function priceIssues({ PANEL_PRICES: prices }: Environment): readonly string[] {
  try {
    readPrices(prices || undefined);
    return [];
  } catch {
    return [`PANEL_PRICES: ${PRICES_FORM}`];
  }
}

export const settings = defineSettings("panel", PanelConfig, [secretIssues, priceIssues, blobIssues]);

export function readAuthor(text: string | undefined): { readonly name: string; readonly email: string } | null {
  const [, name, email] = AUTHOR.exec(text ?? "") ?? [];
  return name === undefined || email === undefined ? null : { name: name.trim(), email };
}
