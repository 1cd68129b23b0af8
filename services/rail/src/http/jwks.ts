/** The public keys of receipts, and the revoked keys. Public, cached for an hour. */
import type { getJwks, getRevokedKeys } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { SigningKeys } from "../domain/signing-keys.ts";
import type { Caller } from "./identify.ts";

const FOR_AN_HOUR = "public, max-age=3600";

export function jwksHandler(keys: Pick<SigningKeys, "published">) {
  return ({ reply }: RequestContext<typeof getJwks, Caller>) => {
    reply.headers({ "Cache-Control": FOR_AN_HOUR, "Access-Control-Allow-Origin": "*" });
    return { keys: keys.published() };
  };
}

/** Cached for a shorter time than the key set, so that a revocation is noticed soon. */
export function revokedKeysHandler(keys: Pick<SigningKeys, "revoked">) {
  return ({ reply }: RequestContext<typeof getRevokedKeys, Caller>) => {
    reply.headers({ "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*" });
    const revokedKeys = keys.revoked().map(({ kid, notAfter, jwk }) => {
      return { kid, not_after: new Date(notAfter).toISOString(), jwk };
    });
    return { keys: revokedKeys };
  };
}
