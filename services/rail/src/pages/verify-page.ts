/** `/verify`: verifies receipts and entry chains in the browser, from published keys. */
import { html, PAGE_STYLES, pageDocument, siteHeader } from "@triptych/server";
import { PAGES, RAIL } from "./home.ts";

export function verifyPage(url: string): string {
  const command = `triptych rail receipt verify "$RECEIPT" --jwks ${url}/.well-known/jwks.json`;
  return pageDocument({
    language: "en",
    title: "Verify a receipt",
    styles: [...PAGE_STYLES, "/wallet/wallet.css"],
    scripts: ["/wallet/verify.js"],
    body: html`<a class="skip" href="#main">Skip to the content</a>
      ${siteHeader({ title: RAIL, links: PAGES, current: "/verify" })}
      <main id="main" class="column roomy">
        <h1>Verify</h1>
        <p class="lead">
          Checked here in your browser, from the <a href="/.well-known/jwks.json">published keys</a> alone. Nothing that
          you paste is sent.
        </p>
        <noscript><p class="notice">Without JavaScript, check it with the command below.</p></noscript>
        <div id="unable" class="notice" hidden>
          <p>
            <strong>This browser cannot check it here.</strong> It knows no Ed25519 signatures, or this page did not
            come over HTTPS. Check it with the command below.
          </p>
        </div>
        <section aria-labelledby="receipt-title">
          <h2 id="receipt-title">A receipt</h2>
          <form id="receipt-form" class="stack">
            <div>
              <label for="receipt">Receipt, the value of <code>X-Rail-Receipt</code></label>
              <textarea
                id="receipt"
                rows="5"
                maxlength="4000"
                autocomplete="off"
                spellcheck="false"
                required
              ></textarea>
            </div>
            <div>
              <label for="answer">Answer that it paid for, byte for byte (if you want that proven too)</label>
              <textarea id="answer" rows="2" autocomplete="off" spellcheck="false"></textarea>
            </div>
            <button class="primary">Verify</button>
          </form>
          <div id="verdict" role="status"></div>
        </section>
        <section aria-labelledby="chain-title">
          <h2 id="chain-title">A chain of entries</h2>
          <form id="chain-form" class="stack">
            <div>
              <label for="chain">All entries of a wallet, from its first on</label>
              <textarea
                id="chain"
                rows="5"
                autocomplete="off"
                spellcheck="false"
                required
                aria-describedby="chain-why"
              ></textarea>
              <p id="chain-why" class="why soft">
                One entry a line, or pages as <code>GET /v1/wallets/me/entries</code> answers them, or statements. In
                any order.
              </p>
            </div>
            <button>Check the chain</button>
          </form>
          <div id="chain-verdict" role="status"></div>
        </section>
        <section aria-labelledby="shell-title">
          <h2 id="shell-title">The same from a shell</h2>
          <pre data-copy="command that verifies a receipt">${command}</pre>
          <pre data-copy="command that checks a chain">triptych rail receipt chain entries.ndjson</pre>
        </section>
      </main>`,
  });
}
