/**
 * `/carte`: the HTML of the map page, served in French; the script fills in data and translates to English. Inputs have
 * no names, so that nothing typed can be submitted into a URL.
 */
import { html, type Html, pageDocument, TOKENS } from "@triptych/server";
import { SERVED_MESSAGES } from "./browser/i18n.js";

type MessageKey = keyof typeof SERVED_MESSAGES;

function say(key: MessageKey): Html {
  return html`data-word="${key}">${SERVED_MESSAGES[key]}`;
}

function named(attribute: "aria-label" | "placeholder", key: MessageKey): Html {
  return html`${attribute}="${SERVED_MESSAGES[key]}" data-word-${attribute}="${key}"`;
}

export function mapPage(): string {
  return pageDocument({
    language: "fr",
    title: SERVED_MESSAGES.title,
    styles: [TOKENS, "/carte/map-page.css"],
    scripts: ["/carte/key.js", "/carte/map-page.js"],
    icon: "/favicon.ico",
    body: html`<a class="skip" href="#list" ${say("skip")}</a>
<header class="bar">
  <a class="brand" href="/">Triptych <b>directory</b></a>
  <h1 ${say("title")}</h1>
  <div id="session" hidden>
    <strong id="plan"></strong> <span id="quota" class="soft"></span>
    <button id="forget" type="button" class="plain" ${say("keyForget")}</button>
  </div>
  <nav aria-label="Triptych">
    <a href="/docs" ${say("docs")}</a>
    <a id="other-language" href="/carte?lang=en" lang="en" ${say("otherLanguage")}</a>
  </nav>
</header>
<div id="notices" role="status"></div>
      <noscript
      ><p class="notice">
        La carte nécessite JavaScript. Les mêmes données sont disponibles dans l'<a href="/docs">API</a>.
        <span lang="en">The map requires JavaScript. The same data is available in the <a href="/docs">API</a>.</span>
      </p></noscript>
<main class="layout">
  <div class="controls">
    ${searchForm()}
    ${keyPanel()}
    <details id="filters"><summary ${say("filters")}</summary><div id="facets"></div></details>
  </div>
  ${resultsSection()}
  ${mapSection()}
</main>`,
  });
}

function searchForm(): Html {
  return html`<form id="search" role="search">
      <label class="visually-hidden" for="q" ${say("search")}</label>
      <input id="q" type="search" maxlength="200" autocomplete="off" spellcheck="false" enterkeyhint="search" ${named("placeholder", "searchHint")}>
    </form>`;
}

function keyPanel(): Html {
  return html`<section id="key-panel" ${named("aria-label", "keyLabel")} hidden>
      <form id="key-form">
        <label for="key" ${say("keyLabel")}</label>
        <div class="together"><input id="key" type="password" autocomplete="off" spellcheck="false" maxlength="200" aria-describedby="key-why key-refused"><button class="primary" ${say("keyUse")}</button></div>
      </form>
      <p id="key-refused" class="refused" role="alert"></p>
      <p id="key-why" class="soft" ${say("keyWhy")}</p>
      <p id="key-local" class="soft" hidden ${say("keyLocal")}</p>
    </section>`;
}

function resultsSection(): Html {
  return html`<section id="results" ${named("aria-label", "results")}>
    <div class="head">
      <h2><span id="total" role="status" ${say("results")}</span></h2>
      <label class="sort"><span class="visually-hidden" ${say("sort")}</span><select id="sort">
        <option value="" ${say("sortDefault")}</option>
        <option value="relevance" ${say("sortRelevance")}</option>
        <option value="distance" ${say("sortDistance")}</option>
        <option value="title" ${say("sortTitle")}</option>
        <option value="-updated_at" ${say("sortNewest")}</option>
        <option value="updated_at" ${say("sortOldest")}</option>
      </select></label>
    </div>
    <p id="said" class="soft" role="status"></p>
    <div id="chips"></div>
    <div id="here" hidden></div>
    <div id="tools" hidden>
      <details id="export"><summary ${say("export")}</summary>
        <p id="export-note" class="soft"></p>
        <div class="together"><button id="export-csv" type="button" disabled>CSV</button><button id="export-geojson" type="button" disabled>GeoJSON</button><button id="export-ndjson" type="button" disabled>NDJSON</button></div>
        <p class="needs-pro soft" ${say("needsPro")}</p>
        <p id="export-said" role="status"></p>
      </details>
      <details id="call-box"><summary ${say("call")}</summary>
        <pre tabindex="0" ${named("aria-label", "call")}><code id="call"></code></pre>
        <div class="together"><button id="copy-url" type="button" ${say("copyUrl")}</button><button id="copy-curl" type="button" ${say("copyCurl")}</button></div>
        <p id="call-said" role="status"></p>
      </details>
    </div>
    <ol id="list" tabindex="-1" ${named("aria-label", "results")}></ol>
    <button id="more" type="button" hidden></button>
  </section>`;
}

function mapSection(): Html {
  return html`<section id="map-box" ${named("aria-label", "map")}>
    <div class="plane">
    <canvas id="map" tabindex="0" role="application" ${named("aria-label", "mapHelp")}></canvas>
    <div id="tip" aria-hidden="true" hidden></div>
    <div class="around">
      <div class="together"><button id="around-point" type="button" aria-pressed="false" disabled ${say("aroundPoint")}</button><button id="around-me" type="button" disabled ${say("aroundMe")}</button></div>
      <p class="needs-pro" ${say("needsPro")}</p>
      <p id="pick-help" role="status" hidden ${say("aroundPick")}</p>
      <div id="circle" hidden>
        <span id="circle-at"></span>
        <label><span ${say("radius")}</span> <input id="radius" type="range" min="0" max="100" step="0.5"></label>
        <output id="radius-said" for="radius"></output>
        <button id="around-clear" type="button" class="plain" ${named("aria-label", "clearCircle")}>×</button>
      </div>
    </div>
    <div class="zoom">
      <button id="zoom-in" type="button" ${named("aria-label", "zoomIn")}>+</button>
      <button id="zoom-out" type="button" ${named("aria-label", "zoomOut")}>−</button>
      <button id="zoom-home" type="button" ${named("aria-label", "home")}>⌂</button>
    </div>
    <div id="insets" role="group" ${named("aria-label", "territories")}></div>
    </div>
    <div class="foot">
      <div id="map-note-box" hidden><p id="map-note" role="status"></p><button id="load-all" type="button" hidden></button></div>
      <p id="attribution"></p>
    </div>
  </section>`;
}
