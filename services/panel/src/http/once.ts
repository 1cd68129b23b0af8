/** The link that signs in once. */
import type * as contract from "@triptych/contracts";
import { Problem, type Answering } from "@triptych/server";
import { signIn, type Entrance } from "./account.ts";
import type { Caller } from "./caller.ts";

/** Tries are counted by address alone: there is no e-mail. */
const NOBODY = "";

export function signInOnceHandler(entrance: Entrance): Answering<typeof contract.signInOnce, Caller> {
  const { panel, guard } = entrance;
  return async ({ body, request, reply }) => {
    const now = panel.now();
    const wait = guard.waitOf(request.ip, NOBODY, now);
    if (wait !== null)
      throw new Problem("rate_limited", { headers: { "Retry-After": String(Math.ceil(wait / 1000)) } });
    guard.failed(request.ip, NOBODY, now);
    const account = await panel.store.doors.takeLink(panel.secrets.hash(body.token), now);
    if (account === null) throw new Problem("unauthenticated", { headers: { "WWW-Authenticate": "Session" } });
    guard.succeeded(request.ip, NOBODY, now);
    return signIn(entrance, reply, account);
  };
}
