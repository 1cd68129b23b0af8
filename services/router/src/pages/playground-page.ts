/** `/`: the frame of the playground, which the script fills. What is typed here goes to this router and nowhere else. */
import { MAX_ERROR_LEAST, MAX_ERROR_MOST, OPTIONS_MAX, STATE_MAX } from "@triptych/contracts";
import { html, pageDocument, type Html } from "@triptych/server";

const EXAMPLES = [
  "What's the weather in Paris tomorrow?",
  "Convertis 30 miles en kilomètres, s'il te plaît",
  "I was charged twice and I want to talk to a human",
  "Hi, how are you?",
  "Compare three laptops, book the cheapest one, then write to my team about it",
] as const;

export function playgroundPage(): string {
  return pageDocument({
    language: "en",
    title: "Router: playground",
    styles: ["/playground/tokens.css", "/playground/playground.css"],
    scripts: ["/playground/playground.js"],
    body: html`<a class="skip" href="#answer">Skip to the decision</a>
      <header class="bar">
        <h1>Router</h1>
        <span class="soft">decides on this machine and asks nobody</span>
        <nav aria-label="Triptych">
          <a href="/docs">Documentation</a> <a href="/v1/experts">Experts</a> <a href="/pricing">Limits</a>
          <a href="/health">Health</a>
        </nav>
      </header>
      <main>
        <noscript
          ><p class="notice">
            This page needs JavaScript. The same answers come from the <a href="/docs">API</a>.
          </p></noscript
        >
        ${questionForm()} ${answerSection()}
      </main>`,
  });
}

function questionForm(): Html {
  return html`<form id="question" aria-label="What is to be decided">
    <div>
      <label for="state">What somebody says</label>
      <textarea id="state" rows="4" maxlength="${STATE_MAX}" spellcheck="false" autocomplete="off">
  ${EXAMPLES[0]}</textarea>
    </div>
    <div class="examples" role="group" aria-label="Examples">
      ${EXAMPLES.map((text) => html`<button type="button" class="example">${text}</button> `)}
    </div>
    <div class="fields">
      <div>
        <label for="expert">Who decides</label>
        <select id="expert">
          <option value="">the router chooses</option>
          <option value="options">options of my own</option>
        </select>
      </div>
      <div>
        <label for="min-conf">Least confidence</label>
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
    <div id="token-needed" hidden>
      <label for="token">Token of this router (<code>ROUTER_TOKEN</code>)</label>
      <input id="token" type="password" autocomplete="off" spellcheck="false" maxlength="200" />
    </div>
    <button class="primary">Decide</button>
  </form>`;
}

function answerSection(): Html {
  return html`<section id="answer" aria-label="Decision" aria-live="polite">
    <p id="refused" class="refused" role="alert"></p>
    <div id="decision" hidden>
      <div class="verdict">
        <strong id="action"></strong> <span id="route" class="mono"></span>
        <p id="reason" class="soft"></p>
      </div>
      <div id="facts"></div>
      <h2>Probabilities</h2>
      <div id="probabilities" class="bars"></div>
      <h2>Why <span id="against" class="soft"></span></h2>
      <p id="words" class="words"></p>
      <div id="evidence" class="bars"></div>
      <h2>Escalate?</h2>
      <div id="escalation" class="bars"></div>
      <p id="rules" class="soft"></p>
      <h2>How complex, 1 to 4</h2>
      <div id="complexity" class="bars"></div>
      <h2>The same from a shell</h2>
      <pre id="curl" tabindex="0" aria-label="curl command"></pre>
      <button id="copy" type="button">Copy</button> <span id="copied" role="status"></span>
    </div>
  </section>`;
}
