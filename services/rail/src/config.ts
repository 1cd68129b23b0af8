/** Environment variables of the rail: names, defaults and limits. Shared variables follow the conventions. */
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
      description: `http(s) address under which others reach ${whose}, at most ${maxLength} characters, without query`,
    }),
  );

export const RailConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  RAIL_PORT: Type.Integer({ default: 7005, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  RAIL_URL: address("the rail; it stands in every receipt", ISSUER_MAX),
  RAIL_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: ADDRESS,
      description: "http(s) address of the rail from inside, for commands, without query",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "folder of the data" }),
  TRIPTYCH_SECRET: Type.Optional(
    Type.String({ description: "secret under which the installation seals; in production required" }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres:// address; SQLite in TRIPTYCH_DATA when unset",
    }),
  ),
  NODE_ENV: Type.String({ default: "development", description: "`production` creates nothing by itself" }),
  ...connectionVariables(),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  TRUSTED_PROXIES: Type.Optional(
    Type.String({
      pattern: "^[0-9a-fA-F.:/]+(,[0-9a-fA-F.:/]+)*$",
      description: "comma list of addresses and networks of proxies whose X-Forwarded-For is believed",
    }),
  ),
  RAIL_PROVIDER: Type.Enum(["test", "manual", "stripe"], { default: "test", description: "test, manual or stripe" }),
  RAIL_ALLOW_TEST_PAYMENTS: Type.Enum(["0", "1"], {
    default: "0",
    description: "1 lets the test provider run in production or on a public address",
  }),
  RAIL_STRIPE_SECRET_KEY: Type.Optional(Type.String({ description: "secret key of the Stripe account" })),
  RAIL_STRIPE_WEBHOOK_SECRETS: Type.Optional(
    Type.String({ description: "comma list of the signing secrets of the webhook, the old one last" }),
  ),
  RAIL_STRIPE_URL: Type.Optional(
    Type.String({ pattern: "^https?://", description: "http(s) address of a Stripe emulator" }),
  ),
  RAIL_SERVICE_TOKEN: token("rail_svc_", "rail_svc_… as `triptych rail token service` makes it"),
  RAIL_ADMIN_TOKEN: token("rail_admin_", "rail_admin_… as `triptych rail token admin` makes it"),
  RAIL_PRICE_CUSTOM_HEAD_MICRO: Type.Integer({
    default: 49_000_000,
    minimum: DECISION_PRICE_MICRO,
    maximum: TOPUP_MAX_MICRO,
    description: "price of a custom head, micro-euros",
  }),
  RAIL_RECEIPT_ALGORITHM: Type.Enum([...ALGORITHM_NAMES], {
    default: "EdDSA",
    description: "name of the algorithm in receipts of keys made from now on: EdDSA or Ed25519",
  }),
  RAIL_SYNC: Type.Enum(["full", "normal"], {
    default: "full",
    description: "full, or normal: faster, and a power cut may undo the last seconds (SQLite)",
  }),
  RAIL_SMTP_URL: Type.Optional(
    Type.String({
      pattern: "^smtps?://([^/?#\\s]+@)?([^@/?#:\\s[\\]]+|\\[[0-9a-fA-F:.]+\\])(:\\d{1,5})?/?(\\?[^#\\s]*)?$",
      description: "smtp://user:password@host:port or smtps://… of the mail server; %40 for an @ in a password",
    }),
  ),
  RAIL_MAIL_FROM: Type.String({ default: "rail@localhost", maxLength: 254, description: "sender of the rail's mails" }),
});
export type RailConfig = Static<typeof RailConfig>;

/**
 * Test payments are not real money, so they are refused on a public address and in production. Throws a readable Error.
 */
export function refuseTestPayments(config: RailConfig): void {
  if (config.RAIL_PROVIDER !== "test" || config.RAIL_ALLOW_TEST_PAYMENTS === "1") return;
  const isPublic = !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(config.HOST);
  if (config.NODE_ENV !== "production" && !isPublic) return;
  const where = isPublic ? "on an address that others reach" : "in production";
  throw new Error(
    `The payment provider \`test\` gives credit for no money, so the rail does not start with it ${where}. Set RAIL_PROVIDER to manual or stripe; or RAIL_ALLOW_TEST_PAYMENTS=1 if that is what you want.`,
  );
}
