/**
 * `/wallet/link`: where the links of mails lead. The code stands in the fragment, which no request carries, and is used by the press of
 * a button: programs that look at links before people do must not use it up.
 */
import { html, page } from "@triptych/server";

export function linkPage(): string {
  return page({
    title: "Wallet: a link from a mail",
    body: html`<main>
      <h1>Your wallet</h1>
      <p id="what">This page needs JavaScript. The code is behind the # of its address.</p>
      <p><button id="go" type="button" hidden>Go on</button></p>
      <p id="outcome" role="status"></p>
      <pre id="token" hidden></pre>
      <p><a href="/docs">Reference</a></p>
      <script src="/wallet/link.js" defer></script>
    </main>`,
  });
}

/** Small enough to stand here; loaded from its own address, as the policy of pages demands. */
export const LINK_SCRIPT = `"use strict";
(() => {
  const [purpose, code = ""] = location.hash.slice(1).split("=");
  const known = {
    recover: ["/v1/wallets/recover/redeem", "Give the wallet a new token. The old one ends at once."],
    verify: ["/v1/wallets/verify", "Verify your address and receive the starter credit."],
  };
  const what = document.getElementById("what");
  const go = document.getElementById("go");
  const outcome = document.getElementById("outcome");
  const token = document.getElementById("token");
  const link = Object.hasOwn(known, purpose) ? known[purpose] : null;
  history.replaceState(null, "", location.pathname);
  if (link === null || code === "") {
    what.textContent = "This link is not whole. Copy it from the mail once more.";
    return;
  }
  what.textContent = link[1];
  go.hidden = false;
  go.addEventListener("click", async () => {
    go.disabled = true;
    outcome.textContent = "One moment.";
    try {
      const answer = await fetch(link[0], {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ code }),
      });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.errors?.[0]?.message ?? body.detail);
      go.hidden = true;
      if (purpose === "recover") {
        outcome.textContent = "This is the new token. It is shown this once:";
        token.textContent = body.wallet_token;
        token.hidden = false;
      } else {
        outcome.textContent = "Verified. Starter credit: " + body.starter_credit.status + ".";
      }
    } catch (error) {
      outcome.textContent = error instanceof Error ? error.message : "That did not work. Try again.";
      go.disabled = false;
    }
  });
})();
`;
