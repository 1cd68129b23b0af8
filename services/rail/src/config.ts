import { DECISION_PRICE_MICRO, TOPUP_MAX_MICRO } from "@triptych/contracts";
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";
import { ALGORITHM_NAMES, ISSUER_MAX } from "./domain/receipt.ts";

const token = (prefix: string, description: string) =>
  Type.Optional(Type.String({ pattern: `^${prefix}[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$`, description }));
const ADDRESS = "^https?://[^/?#]+(/[^?#]*)?$";
const address = (whose: string, maxLength: number) =>
  Type.Optional(
    Type.String({
      pattern: ADDRESS,
      maxLength,
      description: `public http(s) URL of ${whose}, at most ${maxLength} characters, without a query`,
    }),
  );

export const RailConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  RAIL_PORT: Type.Integer({ default: 7005, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  RAIL_URL: address("the rail, the issuer in every receipt", ISSUER_MAX),
  RAIL_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: ADDRESS,
      description: "internal http(s) URL of the rail for CLI commands, without a query",
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
  NODE_ENV: Type.String({ default: "development", description: "`production` creates no tokens or secrets by itself" }),
  ...connectionVariables(),
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
  RAIL_PROVIDER: Type.Enum(["test", "manual", "stripe"], { default: "test", description: "test, manual or stripe" }),
  RAIL_ALLOW_TEST_PAYMENTS: Type.Enum(["0", "1"], {
    default: "0",
    description: "1 lets the test provider run in production or on a public address",
  }),
  RAIL_STRIPE_SECRET_KEY: Type.Optional(Type.String({ description: "secret key of the Stripe account" })),
  RAIL_STRIPE_WEBHOOK_SECRETS: Type.Optional(
    Type.String({ description: "comma-separated signing secrets of the webhook, the old one last" }),
  ),
  RAIL_STRIPE_URL: Type.Optional(
    Type.String({ pattern: "^https?://", description: "http(s) URL of a Stripe emulator" }),
  ),
  RAIL_SERVICE_TOKEN: token("rail_svc_", "rail_svc_… token from `triptych rail token service`"),
  RAIL_ADMIN_TOKEN: token("rail_admin_", "rail_admin_… token from `triptych rail token admin`"),
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
    description: "full, or normal: faster, but a power failure may lose the last seconds (SQLite)",
  }),
  RAIL_SMTP_URL: Type.Optional(
    Type.String({
      pattern: "^smtps?://([^/?#\\s]+@)?([^@/?#:\\s[\\]]+|\\[[0-9a-fA-F:.]+\\])(:\\d{1,5})?/?(\\?[^#\\s]*)?$",
      description: "mail server, smtp://user:password@host:port or smtps://…; write an @ in the password as %40",
    }),
  ),
  RAIL_MAIL_FROM: Type.String({ default: "rail@localhost", maxLength: 254, description: "sender address of mails" }),
});
export type RailConfig = Static<typeof RailConfig>;

/** Why the rail does not start: test payments are not real money, so no public address or production may use them. */
export function testPaymentsRefusal(config: RailConfig): string | null {
  if (config.RAIL_PROVIDER !== "test" || config.RAIL_ALLOW_TEST_PAYMENTS === "1") return null;
  const isPublic = !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(config.HOST);
  if (config.NODE_ENV !== "production" && !isPublic) return null;
  const where = isPublic ? "on a public address" : "in production";
  return `The payment provider \`test\` credits wallets without real money, so the rail does not start with it ${where}. Set RAIL_PROVIDER to manual or stripe, or allow it with RAIL_ALLOW_TEST_PAYMENTS=1.`;
}
