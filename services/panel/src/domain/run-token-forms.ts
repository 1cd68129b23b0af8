/**
 * Run tokens: `rt_<scope>.<proof>`, the scope and its end in clear, the proof an HMAC-SHA-256 over them. Nothing is stored: whoever has
 * the key can tell whether a token is ours, and the run itself says whether its epoch is still the present one.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { RunTokens } from "./run-tokens.ts";

const PREFIX = "rt_";

/** `key`: 32 bytes, from `deriveKey`. */
export function createRunTokens(key: Uint8Array): RunTokens {
  const proofOf = (scope: string) => createHmac("sha256", key).update(scope).digest();
  return {
    mint({ owner, runId, epoch }, expiresAt) {
      const scope = Buffer.from(JSON.stringify([owner, runId, epoch, expiresAt])).toString("base64url");
      return `${PREFIX}${scope}.${proofOf(scope).toString("base64url")}`;
    },
    read(token, now) {
      const [, scope, proof] = /^rt_([\w-]{1,512})\.([\w-]{43})$/.exec(token) ?? [];
      if (scope === undefined || proof === undefined) return null;
      const given = Buffer.from(proof, "base64url");
      const known = proofOf(scope);
      if (given.length !== known.length || !timingSafeEqual(given, known)) return null;
      // We wrote it: it has this form.
      const said = JSON.parse(Buffer.from(scope, "base64url").toString()) as [string, string, number, number];
      const [owner, runId, epoch, expiresAt] = said;
      return expiresAt <= now ? null : { owner, runId, epoch };
    },
  };
}
