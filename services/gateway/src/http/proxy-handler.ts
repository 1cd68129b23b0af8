/**
 * Free endpoints (heads, feedback, lists), which are proxied to the router. The caller sees only the gateway's
 * addresses.
 */
import type { Endpoint } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { Routers } from "../domain/routers.ts";
import { askRouter, jsonOf, toProblem, type Answered } from "./router-client.ts";
import { ownerOf, type Caller } from "./caller.ts";

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export interface ProxyDeps {
  readonly routers: Routers;
  readonly url: () => string;
}

const PASSED = ["content-type", "etag", "location", "content-disposition", "idempotency-replayed"] as const;

/** The router validates the whole request, so its issues include those of the gateway. */
export function proxyHandler({ routers, url }: ProxyDeps, endpoint: Endpoint) {
  return {
    async handle({ caller, request, params, reply }: Asking) {
      const isSafe = endpoint.method === "GET";
      const answer = await askRouter(routers, {
        request,
        endpoint,
        params: { ...params },
        owner: ownerOf(caller),
        isSafe,
      });
      const problem = toProblem(answer);
      if (problem !== null) throw problem;
      reply.code(answer.status);
      for (const name of PASSED) {
        const value = answer.headers[name];
        if (typeof value === "string") reply.header(name, value);
      }
      return reply.send(rewriteLinks(answer, url()));
    },
  };
}

/** Rewrites file links to point to the gateway, because the caller may not be able to reach the router. */
function rewriteLinks(answer: Answered, url: string): Buffer | string | undefined {
  if (answer.body.length === 0) return undefined;
  if (!String(answer.headers["content-type"]).startsWith("application/json")) return answer.body;
  const body = jsonOf(answer);
  if (Array.isArray(body["data"]))
    return JSON.stringify({ ...body, data: body["data"].map((item) => rewriteHeadLinks(item, url)) });
  return JSON.stringify(rewriteHeadLinks(body, url));
}

function rewriteHeadLinks(head: unknown, url: string): unknown {
  if (typeof head !== "object" || head === null || !("links" in head)) return head;
  const { links } = head;
  if (typeof links !== "object" || links === null) return head;
  const own = Object.entries(links).map(([name, link]) => [name, String(link).replace(/^.*(?=\/v1\/heads\/)/, url)]);
  return { ...head, links: Object.fromEntries(own) };
}
