import { Type } from "typebox";

const strict = { additionalProperties: false };

/** An Ed25519 public key (RFC 8037). */
export const jwk = Type.Object(
  {
    kty: Type.Literal("OKP"),
    crv: Type.Literal("Ed25519"),
    x: Type.String(),
    kid: Type.String({ description: "RFC 7638 thumbprint" }),
    use: Type.Literal("sig"),
  },
  { title: "Jwk", ...strict },
);

export const jwkSet = Type.Object({ keys: Type.Array(jwk) }, { title: "JwkSet", ...strict });
