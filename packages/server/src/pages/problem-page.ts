/** `/problems/<code>`: meaning, endpoints, remedy and example body of a problem. */
import { problems, type ProblemCode, type ServiceContract } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { prose } from "./endpoint-section.ts";
import { pageDocument } from "./page-assets.ts";
import { PAGE_STYLES } from "./static-assets.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface ProblemFacts {
  readonly contract: ServiceContract;
  readonly url: string;
  readonly links: readonly Pick<PageLink, "path" | "label">[];
}

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
          <h2>Response body</h2>
          <pre>${JSON.stringify(exampleBody(code, contract, url), null, 2)}</pre>
          <p class="soft">
            Rely on <code>code</code>, which is stable; the texts may change. When you contact the operator, include the
            <code>request_id</code>, which is also in the header <code>X-Request-Id</code>.
          </p>
        </section>
        <section>
          <h2>Endpoints</h2>
          ${affectedEndpoints(code, contract)}
        </section>
      </main>`,
  });
}

function affectedEndpoints(code: ProblemCode, { endpoints }: ServiceContract): Html {
  const here = endpoints.filter((endpoint) => endpoint.problems.includes(code));
  if (here.length === 0)
    return html`<p>
      No endpoint of this service lists this problem. Any request can cause it, or another service returns it.
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

/** The remedy depends on the status; details of a code are in its explanation. */
const REMEDIES: Readonly<Record<number, string>> = {
  400: "Change the request as described and send it again. An unchanged request fails again. Nothing was changed or charged.",
  401: "Send a valid credential, or request one from the operator. Do not retry with the same one: failed attempts are counted.",
  402: "Follow `pay` in the response, which contains the request for the payment rail. After payment, the same request is accepted.",
  403: "The credential is valid but lacks permission. Use another one, or contact the operator. Nothing was changed.",
  404: "Check the URL and its IDs. Objects of other accounts are not found either.",
  405: "Use one of the methods in the `Allow` header.",
  408: "Send the whole request without a pause.",
  409: "The state of an object conflicts with the request. Read the object named in the response, then decide again.",
  421: "Use the address from the operator. The operator allows further hosts with the variable in `detail`.",
  422: "Use a new idempotency key for a new request, or retry the first request unchanged.",
  429: "Wait for the seconds in the `Retry-After` header, then retry. Nothing was changed.",
  500: "Retry later. If the error persists, send the `request_id` to the operator, who finds the cause in the log.",
  502: "A service behind this one failed. Retry after `Retry-After` seconds with the same idempotency key.",
  503: "Retry after `Retry-After` seconds with the same idempotency key.",
};
const OTHERWISE = "Change the request as described and send it again. Nothing was changed.";

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
