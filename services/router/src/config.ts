/** Environment variables of the router: names, defaults and limits. Shared variables come from the conventions. */
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

export const RouterConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  ROUTER_PORT: Type.Integer({ default: 7004, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  ROUTER_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "http(s) address under which others reach the router, without query",
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres://… keeps heads there instead of the data folder",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "folder of the data" }),
  NODE_ENV: Type.String({ default: "development", description: "`production` creates nothing by itself" }),
  ...connectionVariables(),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  ROUTER_TOKEN: Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{16,200}$",
      description: "what callers have to send as Bearer, 16 to 200 visible ASCII characters; unset, nobody has to",
    }),
  ),
  ROUTER_ALLOWED_HOSTS: Type.Optional(
    Type.String({
      pattern: "^(\\*|[\\w.-]+|[\\da-fA-F:.]+)( *, *([\\w.-]+|[\\da-fA-F:.]+))*$",
      description: "comma list of hosts without a port that are served without ROUTER_TOKEN, or * for all",
    }),
  ),
  ROUTER_SERVICE_TOKEN: Type.Optional(
    Type.String({
      pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$",
      description: "rail_svc_… with which a gateway names the owners of heads; the file service-token when unset",
    }),
  ),
  ROUTER_TRUNK: Type.Optional(
    Type.String({
      pattern: "^onnx:.",
      description: "onnx:<folder> of a sentence encoder that heads of your own stand on; unset, the shipped trunk",
    }),
  ),
  ROUTER_RATE: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: "most decisions a minute, 1 or more; unset, no limit",
    }),
  ),
});
export type RouterConfig = Static<typeof RouterConfig>;
