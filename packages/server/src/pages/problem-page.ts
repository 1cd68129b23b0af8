/** `/problems/<code>`: what a refusal means, where it is met, what to do, and how its body looks. */
import { problems, type ProblemCode, type ServiceContract } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { prose } from "./endpoint-section.ts";
import { pageDocument } from "./page-assets.ts";
import { PAGE_STYLES } from "./shared-assets.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface ProblemFacts {
  readonly contract: ServiceContract;
  readonly url: string;
  readonly links: readonly Pick<PageLink, "path" | "label">[];
}

/** Null for a code that is not in the catalogue. */
export function problemPage(code: string, { contract, url, links }: ProblemFacts): string | null {
  if (!isProblemCode(code)) return null;
  const { status, title, explanation } = problems[code];
  return pageDocument({
    language: "en",
    title: `${title} (${code})`,
    styles: PAGE_STYLES,
    scripts: [],
    body: html`${siteHeader({ title: contract.title, links })}
      <main class="column roomy">
        <h1>${title}</h1>
        <p class="soft"><code>${code}</code>, HTTP status ${status}</p>
        <section>
          <h2>What it means</h2>
          <p>${prose(explanation)}</p>
        </section>
        <section>
          <h2>What to do</h2>
          <p>${remedyOf(status)}</p>
        </section>
        <section>
          <h2>How the answer looks</h2>
          <pre>${JSON.stringify(exampleBody(code, contract, url), null, 2)}</pre>
          <p class="soft">
            Read <code>code</code>: it does not change, the words may. Tell the operator the
            <code>request_id</code> when you ask for help; it is also in the header <code>X-Request-Id</code>.
          </p>
        </section>
        <section>
          <h2>Where it is met</h2>
          ${places(code, contract)}
        </section>
      </main>`,
  });
}

function places(code: ProblemCode, { endpoints }: ServiceContract): Html {
  const here = endpoints.filter((endpoint) => endpoint.problems.includes(code));
  if (here.length === 0)
    return html`<p>
      No call of this service names it: any request can meet it, or another service of the product answers with it.
    </p>`;
  return html`<ul>
    ${here.map(
      ({ id, method, path, summary }) =>
        html`<li>
          <a href="/docs#${id}"><code>${method} ${path}</code></a> ${summary}
        </li>`,
    )}
  </ul>`;
}

/** What helps is told by the status; what is particular to a code stands in its explanation. */
const REMEDIES: Readonly<Record<number, string>> = {
  400: "Change the request as the answer says; sending it again unchanged meets the same answer. Nothing was done and nothing costs anything.",
  401: "Send a credential that is good, or ask the operator for one. Do not try again with the same one: wrong tries are counted.",
  402: "Follow `pay` in the answer: it names the call on the payment rail. After that the same request is accepted at once.",
  403: "The credential is good but may not do this: ask whoever runs the service, or use another one. Nothing was done.",
  404: "Look at the address and its ids. What belongs to another account is not found either.",
  405: "Use one of the methods that the header `Allow` lists.",
  408: "Send the whole request without a pause.",
  409: "Something is in another state than the request expects. Read the object that the answer names, then decide again.",
  421: "Use the address that the operator gave you. The operator allows further hosts by the variable that `detail` names.",
  422: "Take a new idempotency key for a new request, or send the first request again unchanged.",
  429: "Wait as many seconds as the header `Retry-After` says, then send it again. Nothing was done.",
  500: "Send it again later. If it stays, tell the operator the `request_id`: the cause is in the log.",
  502: "A party behind this service failed. Send it again after `Retry-After` seconds, with the same idempotency key.",
  503: "Send it again after `Retry-After` seconds, with the same idempotency key.",
};
const OTHERWISE = "Change the request as the answer says, and send it again. Nothing was done.";

function remedyOf(status: number): Html {
  return prose(REMEDIES[status] ?? OTHERWISE);
}

function exampleBody(
  code: ProblemCode,
  { endpoints }: ServiceContract,
  url: string,
): Readonly<Record<string, unknown>> {
  const { status, title, explanation } = problems[code];
  const first = endpoints.find((endpoint) => endpoint.problems.includes(code)) ?? endpoints[0];
  return {
    type: `${url}/problems/${code}`,
    title,
    status,
    code,
    detail: explanation.replaceAll("`", ""),
    instance: first?.path ?? "/",
    request_id: "req_01k9w3m5t7e8q2r4s6v8x0z2b4",
    ...(code === "validation_failed" && { errors: [{ path: "?limit", reason: "maximum", message: "at most 200" }] }),
  };
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
