import { DECISIONS_IN_FLIGHT, DECISIONS_PER_MINUTE } from "@triptych/contracts";
import {
  connectionVariables,
  defineSettings,
  secretIssues,
  serviceVariables,
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
} from "@triptych/config";
import { Type, type Static } from "typebox";

const ADDRESS = "^https?://[^/?#]+(/[^?#,]*)?$";
const address = (description: string, unset: string) =>
  Type.Optional(Type.String({ pattern: ADDRESS, description, unset }));
const serviceToken = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$",
      description,
      secret: true,
      file: "service-token",
    }),
  );

export const GatewayConfig = Type.Object({
  ...serviceVariables(),
  GATEWAY_PORT: Type.Integer({ default: 7003, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  GATEWAY_URL: address("public http(s) URL of the gateway, without a query", "the listening address"),
  ROUTER_URL: Type.String({
    default: "http://127.0.0.1:7004",
    pattern: ADDRESS,
    description: "public http(s) URL of the router",
  }),
  ROUTER_INTERNAL_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#,]+(/[^?#,]*)?(,https?://[^/?#,]+(/[^?#,]*)?)*$",
      description: "comma-separated internal http(s) URLs of routers; ROUTER_URL when unset",
      details: "Requests are distributed round robin",
    }),
  ),
  RAIL_URL: Type.String({
    default: "http://127.0.0.1:7005",
    pattern: ADDRESS,
    description: "public http(s) URL of the rail",
  }),
  RAIL_INTERNAL_URL: address("internal http(s) URL of the rail", "`RAIL_URL`"),
  RAIL_SERVICE_TOKEN: serviceToken("rail_svc_… token that the rail accepts (default: the file service-token)"),
  ROUTER_SERVICE_TOKEN: serviceToken("rail_svc_… token that the routers accept (default: the file service-token)"),
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
  ...connectionVariables(),
  GATEWAY_INSTANCE: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9._-]{1,64}$",
      description:
        "instance name sent to the rail, unique among running gateways (default: generated and stored in the data folder)",
      details: "The generated name is stored under a lock in `gateways/` in the data folder",
      file: "gateways",
    }),
  ),
  GATEWAY_RATE: Type.Integer({
    default: DECISIONS_PER_MINUTE,
    minimum: 1,
    maximum: 10_000_000,
    description: "maximum decisions per wallet and minute, at least 1",
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
    details: "Further requests get 503 `overloaded` instead of waiting in a queue",
  }),
});
export type GatewayConfig = Static<typeof GatewayConfig>;

export const settings = defineSettings("gateway", GatewayConfig, [secretIssues]);
