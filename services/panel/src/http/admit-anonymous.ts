/** Checks an anonymous request before its body is read: rate limit by address, and refusal of cross-site requests. */
import { login, signInOnce, type Endpoint } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import type { FastifyRequest } from "fastify";
import { isFromForeignPage } from "../domain/csrf.ts";
import type { Panel } from "../domain/panel.ts";

const SIGN_IN: ReadonlySet<string> = new Set([login.id, signInOnce.id]);

/** Counts a request of the address; returns the seconds to wait above the limit, else null. */
export type CountAnonymous = (address: string) => number | null;

export function admitAnonymousWith({ url }: Pick<Panel, "url">, count: CountAnonymous) {
  return (request: FastifyRequest, endpoint: Endpoint): void => {
    if (!SIGN_IN.has(endpoint.id)) return;
    const wait = count(request.ip);
    if (wait !== null)
      throw new Problem("rate_limited", {
        detail: `Too many sign-in requests from this address within a minute. Retry in ${wait} s.`,
        headers: { "Retry-After": String(wait) },
      });
    const { origin, "sec-fetch-site": site } = request.headers;
    const fetchSite = typeof site === "string" ? site : undefined;
    if (isFromForeignPage({ fetchSite, origin, ownOrigin: new URL(url()).origin })) throw new Problem("csrf_failed");
  };
}
