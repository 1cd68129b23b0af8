/**
 * `/wallet/link`: where the links of mails lead. The code stands in the fragment, which no request carries, and is used by the press of
 * a button: programs that look at links before people do must not use it up.
 */
import { html, PAGE_STYLES, pageDocument, siteHeader } from "@triptych/server";
import { PAGES, RAIL } from "./home.ts";

export function linkPage(): string {
  return pageDocument({
    language: "en",
    title: "Wallet: a link from a mail",
    styles: [...PAGE_STYLES, "/wallet/wallet.css"],
    scripts: ["/wallet/link.js"],
    body: html`${siteHeader({ title: RAIL, links: PAGES })}
      <main class="column">
        <section id="closed" aria-labelledby="what">
          <h1 id="what">A link from a mail</h1>
          <p id="why">This page needs JavaScript. The code is behind the # of its address.</p>
          <p><button id="go" type="button" class="primary" hidden>Go on</button></p>
          <p id="outcome" class="said" role="status"></p>
          <pre id="shown" class="shown" hidden></pre>
        </section>
      </main>`,
  });
}
