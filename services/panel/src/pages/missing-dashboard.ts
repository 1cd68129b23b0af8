/** The page shown where the dashboard's files are missing. */
import { html, PAGE_STYLES, pageDocument } from "@triptych/server";

export function missingDashboardPage(url: string): string {
  return pageDocument({
    language: "en",
    title: "Triptych panel",
    styles: PAGE_STYLES,
    scripts: [],
    body: html`<main class="column">
      <h1>Triptych panel</h1>
      <p>The dashboard is not part of this installation. Everything it would show and do is in the API.</p>
      <p><a href="/docs">Every call, with examples</a></p>
      <p>
        The file credentials.json in the data folder holds an access token and a password for trying out. Ask with the
        token:
      </p>
      <pre tabindex="0">curl -H "Authorization: Bearer pnl_…" ${url}/api/account</pre>
      <p>A link that signs in once holds a token after the #. A browser's session begins with it:</p>
      <pre tabindex="0">curl -d '{"token":"…"}' -H "Content-Type: application/json" ${url}/api/auth/once</pre>
    </main>`,
  });
}
