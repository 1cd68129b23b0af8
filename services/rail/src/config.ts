import { DECISION_PRICE_MICRO, TOPUP_MAX_MICRO } from "@triptych/contracts";
import {
  connectionVariables,
  defineSettings,
  secretIssues,
  serviceVariables,
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
  TRUSTED_PROXIES,
} from "@triptych/config";
import { Type, type Static } from "typebox";
import { ALGORITHM_NAMES } from "@triptych/encryption";
import { ISSUER_MAX } from "./domain/receipt.ts";

const token = (prefix: string, description: string, more: { readonly unset?: string; readonly file?: string }) =>
  Type.Optional(
    Type.String({
      pattern: `^${prefix}[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$`,
      description,
      secret: true,
      ...more,
    }),
  );
const ADDRESS = "^https?://[^/?#]+(/[^?#]*)?$";
const address = (whose: string, maxLength: number) =>
  Type.Optional(
    Type.String({
      pattern: ADDRESS,
      maxLength,
      description: `public http(s) URL of ${whose}, at most ${maxLength} characters, without a query`,
      unset: "the listening address",
    }),
  );

export const RailConfig = Type.Object({
  ...serviceVariables(),
  RAIL_PORT: Type.Integer({ default: 7005, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  RAIL_URL: address("the rail, the issuer in every receipt", ISSUER_MAX),
  RAIL_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: ADDRESS,
      description: "internal http(s) URL of the rail for CLI commands, without a query",
      unset: "`RAIL_URL`",
    }),
  ),
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
  ...connectionVariables(),
  TRUSTED_PROXIES,
  RAIL_PROVIDER: Type.Enum(["test", "manual", "stripe"], {
    default: "test",
    description: "test, manual or stripe",
    details: "Sets the mode of the store permanently: `test` or `live`",
  }),
  RAIL_ALLOW_TEST_PAYMENTS: Type.Enum(["0", "1"], {
    default: "0",
    description: "1 lets the test provider run in production or on a public address",
  }),
  RAIL_STRIPE_SECRET_KEY: Type.Optional(
    Type.String({
      description: "secret key of the Stripe account",
      details: "Production rejects a test mode key unless `RAIL_ALLOW_TEST_PAYMENTS=1`",
      secret: true,
    }),
  ),
  RAIL_STRIPE_WEBHOOK_SECRETS: Type.Optional(
    Type.String({ description: "comma-separated signing secrets of the webhook, newest first", secret: true }),
  ),
  RAIL_STRIPE_URL: Type.Optional(
    Type.String({ pattern: "^https?://", description: "http(s) URL of a Stripe emulator" }),
  ),
  RAIL_SERVICE_TOKEN: token(
    "rail_svc_",
    "rail_svc_… token from `triptych rail token service`, the same for gateways and rail",
    {
      file: "service-token",
    },
  ),
  RAIL_ADMIN_TOKEN: token("rail_admin_", "rail_admin_… token from `triptych rail token admin`", {
    unset: "the token in `credentials.json`; in production, no admin access over HTTP",
  }),
  RAIL_SERVICE_TOKEN_PREVIOUS: token("rail_svc_", "previous service token, still accepted during a rotation", {
    unset: "none",
  }),
  RAIL_ADMIN_TOKEN_PREVIOUS: token("rail_admin_", "previous operator token, still accepted during a rotation", {
    unset: "none",
  }),
  RAIL_ADMIN_READ_TOKEN: token(
    "rail_read_",
    "rail_read_… token from `triptych rail token read`: reads and audits over HTTP, changes nothing",
    { unset: "none" },
  ),
  RAIL_PRICE_CUSTOM_HEAD_MICRO: Type.Integer({
    default: 49_000_000,
    minimum: DECISION_PRICE_MICRO,
    maximum: TOPUP_MAX_MICRO,
    description: "price of a custom head in micro-euros",
  }),
  RAIL_RECEIPT_ALGORITHM: Type.Enum([...ALGORITHM_NAMES], {
    default: "EdDSA",
    description: "algorithm name in receipts of new signing keys: EdDSA or Ed25519",
  }),
  RAIL_SYNC: Type.Enum(["full", "normal"], {
    default: "full",
    description: "SQLite: full, or normal, which is faster, but a power failure may lose the last seconds",
  }),
  RAIL_SMTP_URL: Type.Optional(
    Type.String({
      pattern: "^smtps?://([^/?#\\s]+@)?([^@/?#:\\s[\\]]+|\\[[0-9a-fA-F:.]+\\])(:\\d{1,5})?/?(\\?[^#\\s]*)?$",
      description: "mail server, smtp://user:password@host:port or smtps://…; write an @ in the password as %40",
      details:
        "For verification, recovery and low-balance emails. With `smtp:`, add `?requireTLS=true`, or a server without TLS gets the password in clear text",
      unset: "no emails are sent",
      secret: "password",
    }),
  ),
  RAIL_MAIL_FROM: Type.String({ default: "rail@localhost", maxLength: 254, description: "sender address of emails" }),
});
export type RailConfig = Static<typeof RailConfig>;

export const settings = defineSettings("rail", RailConfig, [secretIssues]);

/**
 * Why the rail does not start: test payments are not real money, so they are not allowed in production or on a public
 * address.
 */
export function testPaymentsRefusal(config: RailConfig): string | null {
  if (config.RAIL_PROVIDER !== "test" || config.RAIL_ALLOW_TEST_PAYMENTS === "1") return null;
  const isPublic = !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(config.HOST);
  if (config.NODE_ENV !== "production" && !isPublic) return null;
  const where = isPublic ? "on a public address" : "in production";
  return `The payment provider \`test\` credits wallets without real money, so the rail does not start with it ${where}. Set RAIL_PROVIDER to manual or stripe, or allow it with RAIL_ALLOW_TEST_PAYMENTS=1.`;
}
