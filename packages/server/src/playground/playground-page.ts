/** `/playground`: the frame of the page, which the script fills. What is typed here goes to this service and nowhere else. */
import { MAX_ERROR_LEAST, MAX_ERROR_MOST, OPTIONS_MAX, STATE_MAX } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { pageDocument } from "../pages/page-assets.ts";
import { PAGE_STYLES } from "../pages/shared-assets.ts";
import { siteHeader, type PageLink } from "../pages/site-header.ts";

export interface PlaygroundFacts {
  /** Of the service, as in "Triptych router". */
  readonly title: string;
  /** One sentence below the title. */
  readonly lead: string;
  readonly links: readonly PageLink[];
  /** Who is paid for a decision, and how much; null where decisions are free. */
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
  ["route", "route: what to do with it, and where"],
  ["decide", "decide: which route"],
  ["noul", "noul: hand it over or not"],
  ["score", "score: how complex it is"],
  ["assess", "assess: all three at once"],
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
            This page needs JavaScript. The same answers come from the <a href="/docs">API</a>.
          </p></noscript
        >
        ${questionForm(paid)}
        <section id="answer" aria-label="Decision" aria-live="polite">
          <div id="refused" class="refused" role="alert"></div>
          <div id="decision" hidden></div>
          <div id="payment" hidden></div>
          <div id="shell" hidden>
            <h2>The same from a shell</h2>
            <pre id="curl" tabindex="0" aria-label="curl command"></pre>
            <button id="copy" type="button">Copy</button> <span id="copied" class="small soft" role="status"></span>
          </div>
        </section>
      </main>`,
  });
}

function questionForm(paid: PlaygroundFacts["paid"]): Html {
  return html`<form id="question" aria-label="What is to be decided">
    ${paid === null ? html`` : walletField(paid)}
    <div>
      <div class="labelled">
        <label for="state" id="state-label">What somebody says</label>
        <label class="check"><input id="as-messages" type="checkbox" /> as a conversation</label>
      </div>
      <textarea id="state" rows="4" maxlength="${STATE_MAX}" spellcheck="false" autocomplete="off">
${EXAMPLES[0]}</textarea>
      <p id="messages-why" class="why soft" hidden>
        One message a line, as in <code>user: …</code>, <code>assistant: …</code> or <code>system: …</code>; the last of
        the user is decided, what stands before it counts little.
      </p>
    </div>
    <div class="examples" role="group" aria-label="Examples">
      ${EXAMPLES.map((text) => html`<button type="button" class="example">${text}</button> `)}
    </div>
    <div>
      <label for="operation">What is asked</label>
      <select id="operation">
        ${OPERATIONS.map(([name, label]) => html`<option value="${name}">${label}</option>`)}
      </select>
    </div>
    <div class="fields" id="choosing">
      <div>
        <label for="expert">Who decides</label>
        <select id="expert">
          <option value="">the router chooses</option>
          <option value="options">options of my own</option>
        </select>
      </div>
      <div>
        <label for="min-conf">At least sure</label>
        <input id="min-conf" type="number" min="0" max="1" step="0.01" placeholder="0.55" />
      </div>
      <div>
        <label for="max-error">Most errors</label>
        <input
          id="max-error"
          type="number"
          min="${MAX_ERROR_LEAST}"
          max="${MAX_ERROR_MOST}"
          step="0.001"
          placeholder="any"
        />
      </div>
    </div>
    <div id="own-options" hidden>
      <label for="options">Options, one a line: <code>label: what it means</code></label>
      <textarea id="options" rows="5" spellcheck="false" aria-describedby="options-why">
refund: the customer wants money back
delivery: where a parcel is, when it arrives
invoice: a copy of a bill
escalate: a person has to take over</textarea>
      <p id="options-why" class="why soft">
        Decided without any training, by what the names and the descriptions say. At most ${OPTIONS_MAX} options.
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
      /><button id="forget" type="button" hidden>Forget it</button>
    </div>
    <p id="token-why" class="why soft">
      It stays in this tab and travels in a header to this service. No wallet yet?
      <a href="${railUrl}/wallet" target="_blank" rel="noopener noreferrer">Make one</a>: it costs nothing and starts
      with credit.
    </p>
  </div>`;
}

function routerTokenField(): Html {
  return html`<div id="token-needed" hidden>
    <label for="token">Token of this router (<code>ROUTER_TOKEN</code>)</label>
    <input id="token" type="password" autocomplete="off" spellcheck="false" maxlength="200" />
  </div>`;
}
