import { DECISIONS_IN_FLIGHT, DECISIONS_PER_MINUTE } from "@triptych/contracts";
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

const ADDRESS = "^https?://[^/?#]+(/[^?#,]*)?$";
const address = (description: string) => Type.Optional(Type.String({ pattern: ADDRESS, description }));
const serviceToken = (description: string) =>
  Type.Optional(Type.String({ pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$", description }));

export const GatewayConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  GATEWAY_PORT: Type.Integer({ default: 7003, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  GATEWAY_URL: address("public http(s) URL of the gateway, without a query"),
  ROUTER_URL: Type.String({
    default: "http://127.0.0.1:7004",
    pattern: ADDRESS,
    description: "public http(s) URL of the router",
  }),
  ROUTER_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#,]+(/[^?#,]*)?(,https?://[^/?#,]+(/[^?#,]*)?)*$",
      description: "comma-separated internal http(s) URLs of routers; ROUTER_URL when unset",
    }),
  ),
  RAIL_URL: Type.String({
    default: "http://127.0.0.1:7005",
    pattern: ADDRESS,
    description: "public http(s) URL of the rail",
  }),
  RAIL_INTERNAL_URL: address("internal http(s) URL of the rail; RAIL_URL when unset"),
  RAIL_SERVICE_TOKEN: serviceToken("rail_svc_… token accepted by the rail; the file service-token when unset"),
  ROUTER_SERVICE_TOKEN: serviceToken("rail_svc_… token accepted by the routers; the file service-token when unset"),
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
  GATEWAY_INSTANCE: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9._-]{1,64}$",
      description:
        "instance name sent to the rail, unique among running gateways; generated and stored in the data folder when unset",
    }),
  ),
  GATEWAY_RATE: Type.Integer({
    default: DECISIONS_PER_MINUTE,
    minimum: 1,
    maximum: 10_000_000,
    description: "maximum decisions per minute and wallet, at least 1",
  }),
  GATEWAY_CONCURRENCY: Type.Integer({
    default: DECISIONS_IN_FLIGHT,
    minimum: 1,
    maximum: 10_000,
    description: "maximum concurrent requests per wallet, at least 1",
  }),
  GATEWAY_MAX_IN_FLIGHT: Type.Integer({
    default: 512,
    minimum: 1,
    maximum: 4096,
    description: "maximum concurrent requests of all wallets, 1 to 4096; more are rejected immediately",
  }),
});
export type GatewayConfig = Static<typeof GatewayConfig>;
