import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

export const RouterConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  ROUTER_PORT: Type.Integer({ default: 7004, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  ROUTER_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "public http(s) URL of the router, without a query",
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres:// URL that stores heads there instead of in the data folder",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "data folder" }),
  NODE_ENV: Type.String({ default: "development", description: "`production` creates no tokens or secrets by itself" }),
  ...connectionVariables(),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  ROUTER_TOKEN: Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{16,200}$",
      description:
        "Bearer token required from callers, 16 to 200 visible ASCII characters; no authentication when unset",
    }),
  ),
  ROUTER_ALLOWED_HOSTS: Type.Optional(
    Type.String({
      pattern: "^(\\*|[\\w.-]+|[\\da-fA-F:.]+)( *, *([\\w.-]+|[\\da-fA-F:.]+))*$",
      description: "comma-separated hosts without a port that are accepted without ROUTER_TOKEN, or * for all",
    }),
  ),
  ROUTER_SERVICE_TOKEN: Type.Optional(
    Type.String({
      pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$",
      description: "rail_svc_… token that lets a gateway set the owner of heads; the file service-token when unset",
    }),
  ),
  ROUTER_TRUNK: Type.Optional(
    Type.String({
      pattern: "^onnx:.",
      description: "onnx:<folder> of a sentence encoder for custom heads; the bundled trunk when unset",
    }),
  ),
  ROUTER_RATE: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: "maximum decisions per minute, at least 1; no limit when unset",
    }),
  ),
});
export type RouterConfig = Static<typeof RouterConfig>;
