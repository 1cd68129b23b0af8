/** Free endpoints, proxied to the router: heads, feedback, lists. The caller sees the gateway's addresses only. */
import type { Endpoint } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { Routers } from "../domain/routers.ts";
import { askRouter, jsonOf, refusalOf, type Answered } from "./router-client.ts";
import { ownerOf, type Caller } from "./caller.ts";

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export interface ProxyDeps {
  readonly routers: Routers;
  readonly url: () => string;
}

const PASSED = ["content-type", "etag", "location", "content-disposition", "idempotency-replayed"] as const;

/** The router validates the whole request, so its issues include the gateway's. */
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
      const refusal = refusalOf(answer);
      if (refusal !== null) throw refusal;
      reply.code(answer.status);
      for (const name of PASSED) {
        const value = answer.headers[name];
        if (typeof value === "string") reply.header(name, value);
      }
      return reply.send(ownLinks(answer, url()));
    },
  };
}

/** Rewrites file links to the gateway: the router may be unreachable for the caller. */
function ownLinks(answer: Answered, url: string): Buffer | string | undefined {
  if (answer.body.length === 0) return undefined;
  if (!String(answer.headers["content-type"]).startsWith("application/json")) return answer.body;
  const body = jsonOf(answer);
  if (Array.isArray(body["data"]))
    return JSON.stringify({ ...body, data: body["data"].map((item) => relinked(item, url)) });
  return JSON.stringify(relinked(body, url));
}

function relinked(head: unknown, url: string): unknown {
  if (typeof head !== "object" || head === null || !("links" in head)) return head;
  const { links } = head;
  if (typeof links !== "object" || links === null) return head;
  const own = Object.entries(links).map(([name, link]) => [name, String(link).replace(/^.*(?=\/v1\/heads\/)/, url)]);
  return { ...head, links: Object.fromEntries(own) };
}
