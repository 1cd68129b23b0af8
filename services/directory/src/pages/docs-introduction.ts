import { html, type Html } from "@triptych/server";

export function introduction({ origin }: { readonly origin: string }): Html {
  const first = `${origin}/api/items?type=place&region=bretagne`;
  const curl = `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${first}"`;
  return html`<div class="languages">${inFrench(curl)} ${inEnglish(curl, first)}</div>`;
}

function inFrench(curl: string): Html {
  return html`<section id="francais" lang="fr">
    <h2>En français</h2>
    <p>
      Cette API JSON donne accès aux <b>acteurs</b>, aux <b>lieux</b> et aux <b>articles</b> des départements et régions
      de France. Filtrez par type, département, région et thème. Recherchez du texte, ou autour d'un point.
    </p>
    <h3>Première requête</h3>
    <pre><code>${curl}</code></pre>
    <p>
      La réponse contient la page demandée (<code>items</code>), le nombre exact de résultats (<code>total</code>), les
      liens vers les pages précédente et suivante, et la <code>version</code> des données. Tant que la version est la
      même, les données n'ont pas changé.
    </p>
    <h3>À savoir</h3>
    <ul>
      <li>
        Les paramètres se combinent (ET) ; les valeurs d'une liste à virgules sont des alternatives (OU).
        <code>tag=a&amp;tag=b</code> sélectionne les éléments qui ont les deux thèmes, <code>tag=-a</code> exclut un
        thème, <code>type=-article</code> un type, <code>source=-a</code> une source.
      </li>
      <li>
        La recherche ignore les accents, la casse et les terminaisons : <code>q=musees</code> trouve « musée ». Le
        dernier mot peut être incomplet. Les fautes de frappe sont corrigées (voir <code>query.corrected</code> dans la
        réponse). Les guillemets exigent une suite de mots du titre ou de la commune, et <code>-mot</code> exclut un
        mot.
      </li>
      <li>
        Un département s'écrit avec ou sans accents ni tirets : <code>Côtes-d'Armor</code>, <code>cotes d armor</code>,
        ou <code>departements=22</code>. Une commune aussi : <code>commune=St Etienne</code>, ou
        <code>insee=42218</code>. <code>code_postal=35,22000</code> accepte des codes postaux ou leur début.
      </li>
      <li>
        <code>ids=place/rennes,article/bretagne</code> renvoie jusqu'à 100 éléments, dans cet ordre.
        <code>bbox=ouest,sud,est,nord</code> sélectionne un rectangle (plan Pro).
      </li>
      <li>
        Parcourez les résultats avec <code>limit</code> et <code>offset</code>, sans limite de profondeur. Pour tout
        recevoir en une fois, utilisez <code>limit=all</code> avec <code>format=csv</code>, <code>ndjson</code> ou
        <code>geojson</code> (plan Pro).
      </li>
      <li>
        Le plan Discovery est gratuit et renvoie le résumé de chaque élément, sans coordonnées. Le plan Pro renvoie tous
        les champs et est facturé au volume.
      </li>
    </ul>
    <p><a href="/carte">Voir la carte</a></p>
  </section>`;
}

function inEnglish(curl: string, first: string): Html {
  return html`<section id="english" lang="en">
    <h2>In English</h2>
    <p>
      This JSON API returns the <b>actors</b>, <b>places</b> and <b>articles</b> of the départements and régions of
      France. Filter by type, département, région and theme. Search text, or around a point.
    </p>
    <h3>First request</h3>
    <pre><code>${curl}</code></pre>
    <p>
      The response contains the page (<code>items</code>), the exact number of matches (<code>total</code>), links to
      the previous and next page, and the <code>version</code> of the data. While the version is the same, the data has
      not changed.
    </p>
    <p>The same in JavaScript:</p>
    <pre><code>const response = await fetch("${first}", {
  headers: { Authorization: \`Bearer \${key}\` },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { total, items } = await response.json();</code></pre>
    <h3>Good to know</h3>
    <ul>
      <li>
        Parameters are combined (AND); the values of a comma list are alternatives (OR).
        <code>tag=a&amp;tag=b</code> requires both themes, <code>tag=-a</code> excludes a theme,
        <code>type=-article</code> a type, <code>source=-a</code> a source.
      </li>
      <li>
        Text search ignores accents, case and inflection: <code>q=musees</code> finds “musée”. The last word may be
        incomplete. Typing errors are corrected (see <code>query.corrected</code> in the response). Quotes require a
        phrase of the title or commune, and <code>-word</code> excludes a word.
      </li>
      <li>
        A département can be written with or without accents and hyphens: <code>Côtes-d'Armor</code>,
        <code>cotes d armor</code>, or <code>departements=22</code>. So can a commune: <code>commune=St Etienne</code>,
        or <code>insee=42218</code>. <code>code_postal=35,22000</code> accepts postal codes or their first digits.
      </li>
      <li>
        <code>ids=place/rennes,article/bretagne</code> returns up to 100 items, in this order.
        <code>bbox=west,south,east,north</code> selects a box (Pro plan).
      </li>
      <li>
        Paginate with <code>limit</code> and <code>offset</code>, at any depth. To get everything at once, use
        <code>limit=all</code> with <code>format=csv</code>, <code>ndjson</code> or <code>geojson</code> (Pro plan).
      </li>
      <li>
        The Discovery plan is free and returns the summary of each item, without coordinates. The Pro plan returns all
        fields and is billed by volume.
      </li>
    </ul>
    <p><a href="/carte?lang=en">See the map</a></p>
  </section>`;
}
