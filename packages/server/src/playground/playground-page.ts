/** `/playground`: the page frame, filled by the script. Input is sent to this service only. */
import { MAX_ERROR_MIN, MAX_ERROR_MAX, OPTIONS_MAX, STATE_MAX } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { PAGE_STYLES, pageDocument } from "../pages/page-assets.ts";
import { siteHeader, type PageLink } from "../pages/site-header.ts";

export interface PlaygroundFacts {
  readonly title: string;
  readonly lead: string;
  readonly links: readonly PageLink[];
  /** Payment rail and price of a decision; null if decisions are free. */
  readonly paid: { readonly railUrl: string; readonly priceMicro: number } | null;
}

const EXAMPLES = [
  "What's the weather in Paris tomorrow?",
  "Convertis 30 miles en kilomètres, s'il te plaît",
  "I was charged twice and I want to talk to a human",
  "Hi, how are you?",
  "Compare three laptops, book the cheapest one, then write to my team about it",
] as const;

const OPERATIONS = [
  ["route", "route: what to do, and which route"],
  ["decide", "decide: which route"],
  ["noul", "noul: escalate or not"],
  ["score", "score: complexity"],
  ["assess", "assess: all three together"],
] as const;

export function playgroundPage({ title, lead, links, paid }: PlaygroundFacts): string {
  return pageDocument({
    language: "en",
    title: `${title}: playground`,
    styles: [...PAGE_STYLES, "/playground/playground.css"],
    scripts: ["/playground/playground.js"],
    body: html`<a class="skip" href="#answer">Skip to the decision</a>
      ${siteHeader({ title, links, current: "/playground" })}
      <main class="roomy" data-rail="${paid?.railUrl ?? ""}" data-price-micro="${paid?.priceMicro ?? 0}">
        <div class="head">
          <h1>Playground</h1>
          <p class="soft">${lead}</p>
        </div>
        <noscript
          ><p class="notice">
            This page requires JavaScript. The <a href="/docs">API</a> returns the same decisions.
          </p></noscript
        >
        ${questionForm(paid)}
        <section id="answer" aria-label="Decision" aria-live="polite">
          <div id="refused" class="refused" role="alert"></div>
          <div id="decision" hidden></div>
          <div id="payment" hidden></div>
          <div id="shell" hidden>
            <h2>Shell command</h2>
            <pre id="curl" tabindex="0" aria-label="curl command"></pre>
            <button id="copy" type="button">Copy</button> <span id="copied" class="small soft" role="status"></span>
          </div>
        </section>
      </main>`,
  });
}

function questionForm(paid: PlaygroundFacts["paid"]): Html {
  return html`<form id="question" aria-label="Request">
    ${paid === null ? html`` : walletField(paid)}
    <div>
      <div class="labelled">
        <label for="state" id="state-label">Request text</label>
        <label class="check"><input id="as-messages" type="checkbox" /> As conversation</label>
      </div>
      <textarea id="state" rows="4" maxlength="${STATE_MAX}" spellcheck="false" autocomplete="off">
${EXAMPLES[0]}</textarea>
      <p id="messages-why" class="why soft" hidden>
        One message per line: <code>user: …</code>, <code>assistant: …</code> or <code>system: …</code>. The last user
        message is decided; earlier messages have a low weight.
      </p>
    </div>
    <div class="examples" role="group" aria-label="Examples">
      ${EXAMPLES.map((text) => html`<button type="button" class="example">${text}</button> `)}
    </div>
    <div>
      <label for="operation">Operation</label>
      <select id="operation">
        ${OPERATIONS.map(([name, label]) => html`<option value="${name}">${label}</option>`)}
      </select>
    </div>
    <div class="fields" id="choosing">
      <div>
        <label for="expert">Expert</label>
        <select id="expert">
          <option value="">Automatic</option>
          <option value="options">Custom options</option>
        </select>
      </div>
      <div>
        <label for="min-conf">Minimum confidence</label>
        <input id="min-conf" type="number" min="0" max="1" step="0.01" placeholder="0.55" />
      </div>
      <div>
        <label for="max-error">Maximum error rate</label>
        <input
          id="max-error"
          type="number"
          min="${MAX_ERROR_MIN}"
          max="${MAX_ERROR_MAX}"
          step="0.001"
          placeholder="any"
        />
      </div>
    </div>
    <div id="own-options" hidden>
      <label for="options">Options, one per line: <code>label: description</code></label>
      <textarea id="options" rows="5" spellcheck="false" aria-describedby="options-why">
refund: the customer wants money back
delivery: where a parcel is, when it arrives
invoice: a copy of a bill
escalate: a person has to take over</textarea>
      <p id="options-why" class="why soft">
        Decided without training, from labels and descriptions. At most ${OPTIONS_MAX} options.
      </p>
    </div>
    ${paid === null ? routerTokenField() : html``}
    <div class="together"><button class="primary">Decide</button> <span id="cost" class="small soft"></span></div>
  </form>`;
}

function walletField({ railUrl }: { readonly railUrl: string }): Html {
  return html`<div id="token-needed">
    <label for="token">Wallet token</label>
    <div class="together">
      <input
        id="token"
        type="password"
        autocomplete="off"
        spellcheck="false"
        maxlength="200"
        aria-describedby="token-why"
      /><button id="forget" type="button" hidden>Remove</button>
    </div>
    <p id="token-why" class="why soft">
      Stored only in this tab, and sent as a header to this service. No wallet yet?
      <a href="${railUrl}/wallet" target="_blank" rel="noopener noreferrer">Create one</a>: it is free and includes
      credit.
    </p>
  </div>`;
}

function routerTokenField(): Html {
  return html`<div id="token-needed" hidden>
    <label for="token">Router token (<code>ROUTER_TOKEN</code>)</label>
    <input id="token" type="password" autocomplete="off" spellcheck="false" maxlength="200" />
  </div>`;
}
