/**
 * `/wallet/link`: where the links of mails lead. The code stands in the fragment, which no request carries, and is used by the press of
 * a button: programs that look at links before people do must not use it up.
 */
import { html, pageDocument } from "@triptych/server";

export function linkPage(): string {
  return pageDocument({
    language: "en",
    title: "Wallet: a link from a mail",
    styles: ["/wallet/tokens.css", "/wallet/wallet.css"],
    scripts: ["/wallet/link.js"],
    body: html`<header class="bar">
        <h1>Wallet</h1>
        <nav aria-label="Triptych"><a href="/wallet">Your wallet</a> <a href="/docs">Documentation</a></nav>
      </header>
      <main>
        <section id="closed" aria-labelledby="what">
          <h2 id="what">A link from a mail</h2>
          <p id="why">This page needs JavaScript. The code is behind the # of its address.</p>
          <p><button id="go" type="button" class="primary" hidden>Go on</button></p>
          <p id="outcome" class="said" role="status"></p>
          <pre id="shown" class="shown" hidden></pre>
        </section>
      </main>`,
  });
}
