/** Environment variables of the gateway: names, defaults and limits. Shared variables come from the conventions. */
import { DECISIONS_IN_FLIGHT, DECISIONS_PER_MINUTE } from "@triptych/contracts";
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

const ADDRESS = "^https?://[^/?#]+(/[^?#,]*)?$";
const address = (description: string) => Type.Optional(Type.String({ pattern: ADDRESS, description }));
const serviceToken = (description: string) =>
  Type.Optional(Type.String({ pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$", description }));

export const GatewayConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  GATEWAY_PORT: Type.Integer({ default: 7003, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  GATEWAY_URL: address("http(s) address under which others reach the gateway, without query"),
  ROUTER_URL: Type.String({
    default: "http://127.0.0.1:7004",
    pattern: ADDRESS,
    description: "http(s) address under which others reach the router",
  }),
  ROUTER_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#,]+(/[^?#,]*)?(,https?://[^/?#,]+(/[^?#,]*)?)*$",
      description: "comma list of http(s) addresses of routers, as the gateway reaches them; ROUTER_URL when unset",
    }),
  ),
  RAIL_URL: Type.String({
    default: "http://127.0.0.1:7005",
    pattern: ADDRESS,
    description: "http(s) address under which others reach the rail",
  }),
  RAIL_INTERNAL_URL: address("http(s) address of the rail as the gateway reaches it; RAIL_URL when unset"),
  RAIL_SERVICE_TOKEN: serviceToken("rail_svc_… that the rail knows; the file service-token when unset"),
  ROUTER_SERVICE_TOKEN: serviceToken("rail_svc_… that the routers know; the file service-token when unset"),
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
  GATEWAY_INSTANCE: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9._-]{1,64}$",
      description: "name of this process to the rail, unique among running ones; kept in the data folder when unset",
    }),
  ),
  GATEWAY_RATE: Type.Integer({
    default: DECISIONS_PER_MINUTE,
    minimum: 1,
    maximum: 10_000_000,
    description: "most decisions a minute and wallet, 1 or more",
  }),
  GATEWAY_CONCURRENCY: Type.Integer({
    default: DECISIONS_IN_FLIGHT,
    minimum: 1,
    maximum: 10_000,
    description: "most calls of one wallet at once, 1 or more",
  }),
  GATEWAY_MAX_IN_FLIGHT: Type.Integer({
    default: 512,
    minimum: 1,
    maximum: 4096,
    description: "most calls of all wallets at once, 1 to 4096; more are refused at once",
  }),
});
export type GatewayConfig = Static<typeof GatewayConfig>;
