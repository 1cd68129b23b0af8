/** The frame of a page: no inline script or style, so that the strictest policy holds. */
import { html, type Html } from "@triptych/server";

export interface Page {
  readonly language: "fr" | "en";
  readonly title: string;
  readonly styles: readonly string[];
  /** Modules: they run when the document stands. */
  readonly scripts: readonly string[];
  readonly body: Html;
}

export function document({ language, title, styles, scripts, body }: Page): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styles.map((path) => html`<link rel="stylesheet" href="${path}" /> `)}${scripts.map((path) => html`<script type="module" src="${path}"></script> `)}
      </head>
      <body>
        ${body}
      </body>
    </html> `.html;
}
