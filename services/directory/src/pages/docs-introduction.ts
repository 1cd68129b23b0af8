/** What the directory is and how to begin, written by hand in French and in English. */
import { html, type Html } from "@triptych/server";
import type { DocsFacts } from "./docs-page.ts";

export function introduction({ origin }: DocsFacts): Html {
  const first = `${origin}/api/items?type=place&region=bretagne`;
  const curl = `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${first}"`;
  return html`<div class="languages">
    <section id="francais" lang="fr">
      <h2>En français</h2>
      <p>
        Cet annuaire répond en JSON sur les <b>acteurs</b>, les <b>lieux</b> et les <b>articles</b> des départements et
        régions de France. On le filtre par type, département, région et thème, on y cherche des mots, et autour d'un
        point.
      </p>
      <h3>Premier appel</h3>
      <pre><code>${curl}</code></pre>
      <p>
        La réponse contient la page demandée (<code>items</code>), le nombre exact de résultats (<code>total</code>),
        les liens vers les pages voisines, et la <code>version</code> des données : tant qu'elle ne change pas, rien n'a
        changé.
      </p>
      <h3>À savoir</h3>
      <ul>
        <li>
          Les paramètres se combinent (ET) ; les valeurs d'une liste à virgules sont des choix possibles (OU).
          <code>tag=a&amp;tag=b</code> demande les deux thèmes, <code>tag=-a</code> exclut un thème,
          <code>type=-article</code> un type.
        </li>
        <li>
          La recherche ignore les accents, la casse et les terminaisons : <code>q=musees</code> trouve « musée ». Le
          dernier mot peut être inachevé, et une faute de frappe est corrigée (la réponse le dit dans
          <code>query.corrected</code>).
        </li>
        <li>
          Un département s'écrit avec ou sans accents ni tirets : <code>Côtes-d'Armor</code>,
          <code>cotes d armor</code>, ou <code>departements=22</code>.
        </li>
        <li>
          Parcourez les résultats avec <code>limit</code> et <code>offset</code>, sans limite de profondeur. Pour tout
          recevoir d'un coup, <code>limit=all</code> avec <code>format=csv</code>, <code>ndjson</code> ou
          <code>geojson</code> (plan Pro).
        </li>
        <li>
          Le plan Discovery est gratuit et donne le résumé de chaque élément, sans coordonnées. Le plan Pro donne tout
          et se paie au volume.
        </li>
      </ul>
      <p><a href="/carte">Voir la carte</a></p>
    </section>
    <section id="english" lang="en">
      <h2>In English</h2>
      <p>
        This directory answers in JSON about the <b>actors</b>, <b>places</b> and <b>articles</b> of the départements
        and régions of France. Filter it by type, département, région and theme, search its words, search around a
        point.
      </p>
      <h3>First request</h3>
      <pre><code>${curl}</code></pre>
      <p>
        The answer holds the page (<code>items</code>), the exact number of matches (<code>total</code>), links to the
        neighbouring pages, and the <code>version</code> of the data: while it stays the same, nothing has changed.
      </p>
      <p>The same in JavaScript:</p>
      <pre><code>const answer = await fetch("${first}", {
  headers: { Authorization: \`Bearer \${key}\` },
});
if (!answer.ok) throw new Error((await answer.json()).detail);
const { total, items } = await answer.json();</code></pre>
      <h3>Good to know</h3>
      <ul>
        <li>
          Parameters add up (AND); the values of a comma list are alternatives (OR). <code>tag=a&amp;tag=b</code> asks
          for both themes, <code>tag=-a</code> excludes a theme, <code>type=-article</code> a type.
        </li>
        <li>
          Text search ignores accents, case and inflection: <code>q=musees</code> finds “musée”. The last word may be
          unfinished, and a typing error is corrected (the answer says so in <code>query.corrected</code>).
        </li>
        <li>
          A département may be spelt in any way: <code>Côtes-d'Armor</code>, <code>cotes d armor</code>, or
          <code>departements=22</code>.
        </li>
        <li>
          Walk with <code>limit</code> and <code>offset</code>, as deep as you like. To receive everything at once,
          <code>limit=all</code> with <code>format=csv</code>, <code>ndjson</code> or <code>geojson</code> (Pro plan).
        </li>
        <li>
          The Discovery plan is free and gives the summary of each item, without coordinates. The Pro plan gives
          everything and is billed by volume.
        </li>
      </ul>
      <p><a href="/carte?lang=en">See the map</a></p>
    </section>
  </div>`;
}
