/**
 * `/wallet/link`: the target of mail links. The code is in the fragment, which browsers do not send. It is redeemed by
 * a button, because link scanners open links before people do.
 */
import { html, PAGE_STYLES, pageDocument, siteHeader } from "@triptych/server";
import { PAGES, RAIL } from "./home.ts";

export function linkPage(): string {
  return pageDocument({
    language: "en",
    title: "Wallet: link from an email",
    styles: [...PAGE_STYLES, "/wallet/wallet.css"],
    scripts: ["/wallet/link.js"],
    body: html`${siteHeader({ title: RAIL, links: PAGES })}
      <main class="column">
        <section class="link" aria-labelledby="what">
          <h1 id="what">Link from an email</h1>
          <p id="why">This page requires JavaScript: the code is in the fragment (#) of its URL.</p>
          <p><button id="go" type="button" class="primary" hidden>Continue</button></p>
          <p id="outcome" class="said" role="status"></p>
          <pre id="shown" class="shown" hidden></pre>
        </section>
      </main>`,
  });
}
