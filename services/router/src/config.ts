import { connectionVariables, defineSettings, serviceVariables } from "@triptych/config";
import { Type, type Static } from "typebox";

export const RouterConfig = Type.Object({
  ...serviceVariables(),
  ROUTER_PORT: Type.Integer({ default: 7004, minimum: 0, maximum: 65_535, description: "port, 0 for any free port" }),
  ROUTER_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "public http(s) URL of the router, without a query",
      unset: "the listening address",
      details: "Used for links in responses",
    }),
  ),
  ...connectionVariables(),
  ROUTER_TOKEN: Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{16,200}$",
      description:
        "Bearer token required from callers, 16 to 200 visible ASCII characters; no authentication when unset",
      details:
        "Required on every path of `/v1`. If it is not set and `HOST` is not loopback, heads are read-only and feedback is rejected",
      secret: true,
    }),
  ),
  ROUTER_ALLOWED_HOSTS: Type.Optional(
    Type.String({
      pattern: "^(\\*|[\\w.-]+|[\\da-fA-F:.]+)( *, *([\\w.-]+|[\\da-fA-F:.]+))*$",
      description: "comma-separated hosts without a port that are accepted without ROUTER_TOKEN, or * for all",
      details:
        "Loopback, `HOST` and the host of `ROUTER_URL` are always accepted. Other hosts get 421 `misdirected_request`",
    }),
  ),
  ROUTER_SERVICE_TOKEN: Type.Optional(
    Type.String({
      pattern: "^rail_svc_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$",
      description: "rail_svc_… token that lets a gateway set the owner of heads; the file service-token when unset",
      details: "The gateway sends the owner in the header `X-Router-Owner`",
      secret: true,
      file: "service-token",
    }),
  ),
  ROUTER_TRUNK: Type.Optional(
    Type.String({
      pattern: "^onnx:.",
      description: "onnx:<folder> of a sentence encoder for custom heads; the bundled trunk when unset",
      details:
        "The folder contains `model.onnx` and `tokenizer.json` ([router.md](router.md#custom-encoders-onnx)). Install `onnxruntime-node` and `@huggingface/tokenizers`",
    }),
  ),
  ROUTER_RATE: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: "maximum decisions per minute, at least 1; no limit when unset",
      details: "Counted per owner, in any 60 seconds",
    }),
  ),
});
export type RouterConfig = Static<typeof RouterConfig>;

export const settings = defineSettings("router", RouterConfig);
