/**
 * `/wallet`: the frame of the wallet page, which the script fills. Inputs have no name: nothing that is typed here can be submitted
 * into an address.
 */
import { TOPUP_MAX_MICRO, type ProviderName } from "@triptych/contracts";
import { html, pageDocument, type Html } from "@triptych/server";

export interface WalletPageFacts {
  readonly provider: ProviderName;
  readonly minimumMicro: number;
}

const EURO_MICRO = 1_000_000;

export function walletPage(facts: WalletPageFacts): string {
  return pageDocument({
    language: "en",
    title: "Wallet",
    styles: ["/wallet/tokens.css", "/wallet/wallet.css"],
    scripts: ["/wallet/wallet.js"],
    body: html`<a class="skip" href="#proof">Skip to the proof of a receipt</a>
      <header class="bar">
        <h1>Wallet</h1>
        ${facts.provider === "test" ? html`<span class="badge">test money</span>` : html``}
        <div id="session" hidden>
          <button id="refresh" type="button" class="plain">Refresh</button>
          <button id="forget" type="button" class="plain">Forget the token</button>
        </div>
        <nav aria-label="Triptych"><a href="/docs">Documentation</a> <a href="/v1/catalog">Prices</a></nav>
      </header>
      <main>
        <noscript
          ><p class="notice">This page needs JavaScript. The same data are in the <a href="/docs">API</a>.</p></noscript
        >
        ${tokenSection()}
        <div id="contents" hidden>${balanceSection()} ${topUpSection(facts)} ${entriesSection()}</div>
        ${proofSection()}
      </main>`,
  });
}

function tokenSection(): Html {
  return html`<section id="closed" aria-label="Token">
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
        It stays in this tab and is sent to this rail only, in a header. No wallet yet?
        <code>POST /v1/wallets</code> with your e-mail makes one, free of charge.
      </p>
    </form>
    <p id="token-refused" class="refused" role="alert"></p>
  </section>`;
}

function balanceSection(): Html {
  return html`<section aria-labelledby="balance-title">
    <h2 id="balance-title">Balance</h2>
    <div class="balance" role="status">
      <strong id="balance-figure"></strong> <span id="balance-decisions" class="soft"></span>
    </div>
    <p id="frozen" class="notice" hidden>
      The wallet is frozen: a refund or a dispute took more than it held, or the operator froze it. Nothing is charged
      until the operator unfreezes it.
    </p>
    <div id="balance-parts"></div>
  </section>`;
}

function topUpSection({ provider, minimumMicro }: WalletPageFacts): Html {
  const how: Readonly<Record<ProviderName, string>> = {
    test: "Test money: it is there at once, and nobody pays.",
    manual: "By bank transfer: the operator adds it when the money has arrived.",
    stripe: "By card, on a page of Stripe.",
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

function entriesSection(): Html {
  return html`<section aria-labelledby="entries-title">
    <h2 id="entries-title">Entries</h2>
    <p id="entries-said" class="said soft" role="status"></p>
    <table aria-labelledby="entries-title">
      <thead>
        <tr>
          <th scope="col" class="seq">No.</th>
          <th scope="col">What</th>
          <th scope="col" class="amount">Amount</th>
          <th scope="col" class="amount">Balance</th>
          <th scope="col">When</th>
          <td></td>
        </tr>
      </thead>
      <tbody id="entry-rows"></tbody>
    </table>
    <button id="more" type="button" hidden>Older entries</button>
  </section>`;
}

function proofSection(): Html {
  return html`<section id="proof" aria-labelledby="proof-title">
    <h2 id="proof-title">Prove a receipt</h2>
    <p class="soft">
      Checked here in your browser, from the <a href="/.well-known/jwks.json">published keys</a> alone. Nothing that you
      paste is sent.
    </p>
    <form id="proof-form">
      <div>
        <label for="receipt">Receipt, the value of <code>X-Rail-Receipt</code></label>
        <textarea id="receipt" rows="4" maxlength="4000" autocomplete="off" spellcheck="false" required></textarea>
      </div>
      <div>
        <label for="answer">Answer that it paid for, byte for byte (if you want that proven too)</label>
        <textarea id="answer" rows="2" autocomplete="off" spellcheck="false"></textarea>
      </div>
      <button class="primary">Prove</button>
    </form>
    <div id="verdict" role="status"></div>
  </section>`;
}
