/**
 * The environment of `triptych mcp`. Services on this machine need no address. Without a credential, only the public
 * endpoints of a service can be used.
 */
import { Type, type Static } from "typebox";

const url = (service: string, port: number) =>
  Type.String({
    default: `http://127.0.0.1:${port}`,
    pattern: "^https?://[^/?#\\s]+(/[^?#\\s]*)?$",
    description: `http(s) URL of the ${service}, without a query`,
  });
const secret = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e]{1,1000}$", description, secret: true }));

export const McpConfig = Type.Object({
  DIRECTORY_URL: url("directory", 7002),
  PANEL_URL: url("panel", 7001),
  GATEWAY_URL: url("gateway", 7003),
  ROUTER_URL: url("router", 7004),
  RAIL_URL: url("rail", 7005),
  DIRECTORY_KEY: secret("API key of the directory, dir_live_… or dir_test_…"),
  PANEL_ACCESS_TOKEN: secret("access token of the panel, pnl_…; not the license key of a worker"),
  WALLET_TOKEN: secret("token of a wallet, rail_live_… or rail_test_…"),
  ROUTER_TOKEN: secret("token of a router that requires one"),
  MCP_DECISIONS: Type.Optional(
    Type.Enum(["gateway", "router"], {
      description:
        "gateway (paid) or router (free); default: the gateway if a wallet token is set, otherwise the router",
    }),
  ),
  MCP_PORT: Type.Integer({
    default: 7006,
    minimum: 0,
    maximum: 65_535,
    description: "port for --http; 0 for any free port",
  }),
  HOST: Type.String({ default: "127.0.0.1", description: "address that --http listens on" }),
  MCP_ALLOWED_HOSTS: Type.Optional(
    Type.String({
      pattern: "^[\\w.:[\\]-]+( *, *[\\w.:[\\]-]+)*$",
      description: "comma-separated hosts, without ports, that --http allows in addition to loopback and HOST",
    }),
  ),
});
export type McpConfig = Static<typeof McpConfig>;
