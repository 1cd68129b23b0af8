import type { adminListKeys, adminRevokeKey, adminRotateKeys } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { Rail } from "../../domain/rail.ts";
import type { ActiveKey } from "../../domain/signing-keys.ts";
import type { Caller } from "../identify.ts";
import { actingBy } from "./actions.ts";
import { isoOrNull, isoTime } from "../response-mappers.ts";

export function adminListKeysHandler(rail: Rail) {
  return (_context: RequestContext<typeof adminListKeys, Caller>) => toKeysResponse(rail);
}

export function adminRotateKeysHandler(rail: Rail) {
  return async ({ body, request }: RequestContext<typeof adminRotateKeys, Caller>) => {
    if (!(await rail.keys.rotate(actingBy(rail, body)))) throw new Problem("rotation_pending");
    request.log.info({ operator: body.operator, reason: body.reason }, "signing keys rotated");
    return toKeysResponse(rail);
  };
}

export function adminRevokeKeyHandler(rail: Rail) {
  return async ({ params, body, request }: RequestContext<typeof adminRevokeKey, Caller>) => {
    const notAfter = body.not_after === undefined ? null : Date.parse(body.not_after);
    if (!(await rail.keys.revoke(params.id, notAfter, actingBy(rail, body)))) throw new Problem("key_not_found");
    request.log.warn({ kid: params.id, operator: body.operator, reason: body.reason }, "signing key revoked");
    return toKeysResponse(rail);
  };
}

async function toKeysResponse({ keys }: Rail) {
  return { items: (await keys.list()).map(toKeyResponse) };
}

function toKeyResponse({ kid, state, createdAt, activeFrom, retiredAt, replacedAt, notAfter }: ActiveKey) {
  return {
    kid,
    state,
    created_at: isoTime(createdAt),
    active_from: isoTime(activeFrom),
    retired_at: isoOrNull(retiredAt ?? replacedAt),
    not_after: isoOrNull(notAfter),
  };
}
