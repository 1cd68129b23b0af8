/** `/wallet`: the static frame that the script fills. Inputs have no name, so no value can be submitted into a URL. */
import { EMAIL_MAX, TOPUP_MAX_MICRO, type ProviderName } from "@triptych/contracts";
import { html, PAGE_STYLES, pageDocument, siteHeader, type Html } from "@triptych/server";
import { autoTopUpSection, type AutoTopUpFacts } from "./auto-top-up-section.ts";
import { PAGES, RAIL } from "./home.ts";

export interface WalletPageFacts extends AutoTopUpFacts {
  readonly provider: ProviderName;
}

const EURO_MICRO = 1_000_000;

export function walletPage(facts: WalletPageFacts): string {
  return pageDocument({
    language: "en",
    title: "Wallet",
    styles: [...PAGE_STYLES, "/wallet/wallet.css"],
    scripts: ["/wallet/wallet.js"],
    body: html`<a class="skip" href="#main">Skip to the content</a>
      ${siteHeader({
        title: RAIL,
        links: PAGES,
        current: "/wallet",
        more: facts.provider === "test" ? html`<span class="badge">Test mode</span>` : html``,
      })}
      <main id="main" class="column roomy">
        <div class="head">
          <h1>Wallet</h1>
          <div id="session" hidden>
            <button id="refresh" type="button">Refresh</button>
            <button id="forget" type="button">Remove token</button>
          </div>
        </div>
        <noscript
          ><p class="notice">
            This page requires JavaScript. The same data is available in the <a href="/docs">API</a>.
          </p></noscript
        >
        <div id="new-token-box" class="notice" role="status" hidden>
          <p><strong id="new-token-what"></strong></p>
          <pre id="new-token" class="secret"></pre>
          <div class="together">
            <button id="new-token-copy" type="button">Copy</button>
            <button id="new-token-kept" type="button">I saved it</button> <span id="new-token-said"></span>
          </div>
        </div>
        ${closedSection()}
        <div id="contents" hidden>
          ${balanceSection()} ${topUpSection(facts)} ${autoTopUpSection(facts)} ${usageSection()} ${entriesSection()}
          ${statementSection()} ${rotateSection()}
        </div>
      </main>`,
  });
}

function closedSection(): Html {
  return html`<div id="closed">
    <section aria-labelledby="open-title">
      <h2 id="open-title">Open your wallet</h2>
      <form id="token-form">
        <label for="token">Wallet token</label>
        <div class="together">
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck="false"
            maxlength="200"
            aria-describedby="token-refused token-why"
          /><button class="primary">Open</button>
        </div>
        <p id="token-why" class="why soft">
          The token stays in this tab. It is sent only to this rail, in a header, and never added to a URL.
        </p>
      </form>
      <p id="token-refused" class="refused" role="alert"></p>
    </section>
    <section aria-labelledby="make-title">
      <h2 id="make-title">No wallet yet?</h2>
      <form id="make-form">
        <label for="email">Email address</label>
        <div class="together">
          <input
            id="email"
            type="email"
            autocomplete="email"
            maxlength="${EMAIL_MAX}"
            required
            aria-describedby="make-refused make-why"
          /><button>Create wallet</button>
        </div>
        <p id="make-why" class="why soft">
          Free, with starter credit. Your address is stored encrypted and lets you replace a lost token.
        </p>
      </form>
      <p id="make-refused" class="refused" role="alert"></p>
    </section>
  </div>`;
}

function balanceSection(): Html {
  return html`<section aria-labelledby="balance-title">
    <h2 id="balance-title">Balance</h2>
    <div class="balance" role="status">
      <strong id="balance-figure"></strong> <span id="balance-decisions" class="soft"></span>
    </div>
    <p id="frozen" class="notice" hidden>
      This wallet is frozen: a refund or dispute exceeded its balance, or the operator froze it. Charges are rejected
      until the operator unfreezes it.
    </p>
    <p id="away" class="refused" role="alert"></p>
    <div id="balance-parts"></div>
  </section>`;
}

function topUpSection({ provider, minimumMicro }: WalletPageFacts): Html {
  const how: Readonly<Record<ProviderName, string>> = {
    test: "Test mode: the amount is added immediately, without payment.",
    manual: "By bank transfer: the operator adds the amount when the money arrives.",
    stripe: "By card, with Stripe Checkout.",
  };
  const [least, most] = [minimumMicro, TOPUP_MAX_MICRO].map((micro) => micro / EURO_MICRO);
  const usual = Math.max(5, least);
  return html`<section aria-labelledby="topup-title">
    <h2 id="topup-title">Top up</h2>
    <form id="topup-form">
      <label for="topup-amount">Amount in euros</label>
      <div class="together">
        <input
          id="topup-amount"
          type="number"
          inputmode="decimal"
          min="${least}"
          max="${most}"
          step="0.01"
          value="${usual.toFixed(2)}"
          required
          aria-describedby="topup-how"
        /><button id="topup-button" class="primary">Top up</button>
      </div>
      <p id="topup-how" class="why soft">${how[provider]}</p>
    </form>
    <p id="topup-said" class="said" role="status"></p>
  </section>`;
}

function usageSection(): Html {
  return html`<section aria-labelledby="usage-title">
    <h2 id="usage-title">Usage in the last 30 days</h2>
    <p id="usage-said" role="status"></p>
    <div id="usage-bars" class="days" aria-hidden="true"></div>
    <details id="usage-box" hidden>
      <summary>Show as table</summary>
      <table aria-labelledby="usage-title">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col" class="amount">Decisions</th>
            <th scope="col" class="amount">Cost</th>
          </tr>
        </thead>
        <tbody id="usage-rows"></tbody>
      </table>
    </details>
  </section>`;
}

function entriesSection(): Html {
  return html`<section aria-labelledby="entries-title">
    <h2 id="entries-title">Transactions</h2>
    <p id="entries-said" class="said soft" role="status"></p>
    <table id="entries" aria-labelledby="entries-title">
      <thead>
        <tr>
          <th scope="col" class="seq">No.</th>
          <th scope="col">Description</th>
          <th scope="col" class="amount">Amount</th>
          <th scope="col" class="amount">Balance</th>
          <th scope="col">Date</th>
          <td></td>
        </tr>
      </thead>
      <tbody id="entry-rows"></tbody>
    </table>
    <button id="more" type="button" hidden>Load more</button>
  </section>`;
}

function statementSection(): Html {
  return html`<section aria-labelledby="statement-title">
    <h2 id="statement-title">Monthly statement</h2>
    <form id="statement-form" class="together">
      <div>
        <label for="statement-month">Month (UTC)</label>
        <select id="statement-month"></select>
      </div>
      <div>
        <label for="statement-format">Format</label>
        <select id="statement-format">
          <option value="json">JSON (signed)</option>
          <option value="csv">CSV</option>
        </select>
      </div>
      <button id="statement-button">Download</button>
    </form>
    <p id="statement-said" class="said" role="status"></p>
  </section>`;
}

function rotateSection(): Html {
  return html`<section aria-labelledby="rotate-title">
    <h2 id="rotate-title">Rotate token</h2>
    <form id="rotate-form">
      <label for="rotate-grace">Old token expires</label>
      <div class="together">
        <select id="rotate-grace" aria-describedby="rotate-why">
          <option value="3600">in an hour</option>
          <option value="86400">in a day</option>
          <option value="0">immediately</option>
        </select>
        <button id="rotate-button">Create token</button>
      </div>
      <p id="rotate-why" class="why soft">
        Rotate the token if somebody else may have seen it. Update your programs with the new token before the old one
        expires.
      </p>
    </form>
    <dialog id="rotate-ask" aria-labelledby="rotate-ask-title">
      <form method="dialog">
        <h2 id="rotate-ask-title">Create a new token?</h2>
        <p id="rotate-ask-what"></p>
        <div class="together">
          <button id="rotate-yes" value="yes" class="primary">Create token</button><button value="no">Cancel</button>
        </div>
      </form>
    </dialog>
    <p id="rotate-said" class="refused" role="alert"></p>
  </section>`;
}
