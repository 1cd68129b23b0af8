import { html, prose, type Html, type PageLanguage } from "@triptych/server";
import { DOCS_TEXTS } from "./docs-texts.ts";

export interface IntroductionFacts {
  readonly origin: string;
  readonly language: PageLanguage;
}

export function introduction({ origin, language }: IntroductionFacts): Html {
  const texts = DOCS_TEXTS[language.language].introduction;
  const first = `${origin}/api/items?type=place&region=bretagne`;
  return html`<section id="introduction">
    <h2>${texts.title}</h2>
    <p>${texts.about}</p>
    <h3>${texts.first}</h3>
    <pre><code>curl -H "Authorization: Bearer $DIRECTORY_KEY" "${first}"</code></pre>
    <p>${prose(texts.response)}</p>
    <p>${texts.javascript}</p>
    <pre><code>const response = await fetch("${first}", {
  headers: { Authorization: \`Bearer \${key}\` },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { total, items } = await response.json();</code></pre>
    <h3>${texts.know}</h3>
    <ul>
      ${texts.facts.map((fact) => html`<li>${prose(fact)}</li>`)}
    </ul>
    <p><a href="${language.link("/carte")}">${texts.map}</a></p>
  </section>`;
}
