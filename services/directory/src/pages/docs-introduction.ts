import { codeTabs, html, prose, type Html, type PageLanguage } from "@triptych/server";
import { DOCS_TEXTS } from "./docs-texts.ts";

const FIRST_REQUEST = {
  method: "GET",
  path: "/api/items?type=place&region=bretagne",
  body: undefined,
  carrier: { header: "Authorization", prefix: "Bearer ", variable: "DIRECTORY_KEY" },
};

export interface IntroductionFacts {
  readonly origin: string;
  readonly language: PageLanguage;
}

export function introduction({ origin, language }: IntroductionFacts): Html {
  const texts = DOCS_TEXTS[language.language].introduction;
  return html`<section id="introduction">
    <h2>${texts.title}</h2>
    <p>${texts.about}</p>
    <h3>${texts.first}</h3>
    ${codeTabs(origin, FIRST_REQUEST, "first-request")}
    <p>${prose(texts.response)}</p>
    <h3>${texts.know}</h3>
    <ul>
      ${texts.facts.map((fact) => html`<li>${prose(fact)}</li>`)}
    </ul>
    <p><a href="${language.link("/carte")}">${texts.map}</a></p>
  </section>`;
}
