import { html, PAGE_STYLES, pageDocument } from "@triptych/server";

export function missingDashboardPage(url: string): string {
  return pageDocument({
    language: "en",
    title: "Triptych panel",
    styles: PAGE_STYLES,
    scripts: [],
    body: html`<main class="column">
      <h1>Triptych panel</h1>
      <p>This installation does not include the dashboard. Use the API instead.</p>
      <p><a href="/docs">API reference with examples</a></p>
      <p>
        The file credentials.json in the data folder contains an access token and a password to try the API. Send a
        request with the token:
      </p>
      <pre tabindex="0">curl -H "Authorization: Bearer pnl_…" ${url}/api/account</pre>
      <p>A one-time sign-in link contains a token after the #. Exchange it for a browser session:</p>
      <pre tabindex="0">curl -d '{"token":"…"}' -H "Content-Type: application/json" ${url}/api/auth/once</pre>
    </main>`,
  });
}
