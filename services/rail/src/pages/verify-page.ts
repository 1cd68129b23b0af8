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
          Verified in your browser with the <a href="/.well-known/jwks.json">published keys</a>. Pasted text is never
          sent.
        </p>
        <noscript><p class="notice">This page requires JavaScript. Use the command below instead.</p></noscript>
        <div id="unable" class="notice" hidden>
          <p>
            <strong>Verification is not available in this browser.</strong> It does not support Ed25519 signatures, or
            this page was not loaded over HTTPS. Use the command below instead.
          </p>
        </div>
        <section aria-labelledby="receipt-title">
          <h2 id="receipt-title">Receipt</h2>
          <form id="receipt-form" class="stack">
            <div>
              <label for="receipt">Receipt (value of <code>X-Rail-Receipt</code>)</label>
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
              <label for="answer">Response body, byte for byte (optional)</label>
              <textarea id="answer" rows="2" autocomplete="off" spellcheck="false"></textarea>
            </div>
            <button class="primary">Verify</button>
          </form>
          <div id="verdict" role="status"></div>
        </section>
        <section aria-labelledby="chain-title">
          <h2 id="chain-title">Entry chain</h2>
          <form id="chain-form" class="stack">
            <div>
              <label for="chain">All entries of a wallet, starting with the first</label>
              <textarea
                id="chain"
                rows="5"
                autocomplete="off"
                spellcheck="false"
                required
                aria-describedby="chain-why"
              ></textarea>
              <p id="chain-why" class="why soft">
                One entry per line, pages from <code>GET /v1/wallets/me/entries</code>, or statements, in any order.
              </p>
            </div>
            <button>Verify chain</button>
          </form>
          <div id="chain-verdict" role="status"></div>
        </section>
        <section aria-labelledby="shell-title">
          <h2 id="shell-title">Command line</h2>
          <pre data-copy="command that verifies a receipt">${command}</pre>
          <pre data-copy="command that verifies a chain">triptych rail receipt chain entries.ndjson</pre>
        </section>
      </main>`,
  });
}
