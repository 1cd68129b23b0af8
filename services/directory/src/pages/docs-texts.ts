/** Texts of `/docs` besides the reference. Code is marked by backticks; `{}` stands for a value. */
import { withFrenchSpaces } from "@triptych/server";
import type { Language } from "../domain/language.ts";
import { PLANS } from "../domain/plans.ts";

const en = {
  introduction: {
    title: "Introduction",
    about:
      "This JSON API returns the actors, places and articles of the départements and régions of France. Filter by type, département, région, commune and theme. Search by text or around a point.",
    first: "First request",
    response:
      "The response contains the page (`items`), the exact number of matches (`total`), links to the previous and next page, and the `version` of the data. While the version is the same, the data has not changed.",
    know: "Good to know",
    facts: [
      "Parameters are combined (AND); the values of a comma list are alternatives (OR). `tag=a&tag=b` requires both themes, `tag=-a` excludes a theme, `type=-article` a type, `source=-a` a source.",
      "Text search ignores accents, case and inflection: `q=musees` finds “musée”. The last word may be incomplete. Typing errors are corrected (see `query.corrected` in the response). Quotes require a phrase of the title or commune, and `-word` excludes a word.",
      "A département can be written with or without accents and hyphens: `Côtes-d'Armor`, `cotes d armor`, or `departements=22`. So can a commune: `commune=St Etienne`, or `insee=42218`. `code_postal=35,22000` accepts postal codes or their first digits.",
      "`ids=place/rennes,article/bretagne` returns up to 100 items, in this order. `bbox=west,south,east,north` selects a box (Pro plan).",
      "Paginate with `limit` and `offset`, at any depth. To get everything at once, use `limit=all` with `format=csv`, `ndjson` or `geojson` (Pro plan).",
      "Problems, `/api` and these pages are in French with `Accept-Language: fr`. Names of fields, codes and values stay the same.",
      "The Discovery plan is free and returns the summary of each item, without coordinates. The Pro plan returns all fields and is billed by volume.",
    ],
    map: "See the map",
  },
  keys: {
    title: "Authentication",
    about:
      "Send the key in any one of these ways. Sending the same key twice is allowed; two different keys are rejected. A new, changed or revoked key takes effect within one second.",
    advice:
      "Prefer a header: URLs end up in histories and logs. This service removes `?key=` from its own logs, links and errors, and sends such responses with `Cache-Control: private, no-store`.",
  },
  plans: {
    title: "Plans and limits",
    plan: "Plan",
    price: "Price",
    items: "Items per day",
    fields: "Fields",
    geo: "Point and box search",
    export: "Export",
    requests: "Requests",
    yes: "yes",
    no: "no",
    andMore: "{} and more",
    window: "{} per 60 s",
    prices: { discovery: PLANS.discovery.price, pro: PLANS.pro.price },
    variants: { summary: "summary", all: "all" },
    operator: "The operator of this service issues API keys.",
    contact: "Request a key:",
    counting:
      'Each item sent in a 200 response counts: a list entry, a feature, a row, a single item. Totals, facets, `/api/meta`, `/api/usage`, HEAD, 304 and errors are free. The quota resets at midnight UTC. A page that exceeds the remaining quota is truncated and contains `"quota_truncated": true`; its `next` link continues after the last item.',
    headers: "Every response to a valid key includes the remaining quota:",
    retry: "Responses with 429 include `Retry-After`: retry after that many seconds.",
  },
  fields: {
    title: "Fields of an item",
    about:
      "Every field of the plan and type is always present: unknown values are `null`, empty lists `[]`. There are no other fields. `fields=` selects a subset.",
    field: "Field",
    plan: "Plan",
    type: "Type",
    schema: "Schema",
    description: "Description",
    everyPlan: "every",
    everyType: "every type",
    with: "with {}",
  },
  formats: {
    title: "Formats",
    about:
      "`format=` takes precedence over `Accept`; the default is JSON. `limit=all` streams every match as csv, ndjson or geojson (Pro).",
    format: "Format",
    media: "Media type",
    where: "Where",
    notes: "Notes",
    note: {
      json: "A page with `items`, `total` and links; a single item is a plain object.",
      geojson: "FeatureCollection or Feature (RFC 7946), positions as lon, lat; geometry is null on Discovery.",
      csv: "RFC 4180, UTF-8, CRLF; objects flattened (`commune_code`), lists joined by `|`. Total and next page in `X-Total-Count` and `Link`.",
      ndjson: "One item per line. Total and next page in `X-Total-Count` and `Link`.",
      "ld+json": "schema.org Organization, Place or Article.",
    },
  },
};

export type DocsTexts = typeof en;

const fr: DocsTexts = {
  introduction: {
    title: "Introduction",
    about:
      "Cette API JSON donne accès aux acteurs, aux lieux et aux articles des départements et régions de France. Filtrez par type, département, région, commune et thème. Recherchez par texte ou autour d'un point.",
    first: "Première requête",
    response:
      "La réponse contient la page demandée (`items`), le nombre exact de résultats (`total`), les liens vers les pages précédente et suivante, et la `version` des données. Tant que la version est la même, les données n'ont pas changé.",
    know: "À savoir",
    facts: [
      "Les paramètres se combinent (ET) ; les valeurs d'une liste à virgules sont des alternatives (OU). `tag=a&tag=b` sélectionne les éléments qui ont les deux thèmes, `tag=-a` exclut un thème, `type=-article` un type, `source=-a` une source.",
      "La recherche ignore les accents, la casse et les terminaisons : `q=musees` trouve « musée ». Le dernier mot peut être incomplet. Les fautes de frappe sont corrigées (voir `query.corrected` dans la réponse). Les guillemets exigent une suite de mots du titre ou de la commune, et `-mot` exclut un mot.",
      "Un département s'écrit avec ou sans accents ni tirets : `Côtes-d'Armor`, `cotes d armor`, ou `departements=22`. Une commune aussi : `commune=St Etienne`, ou `insee=42218`. `code_postal=35,22000` accepte des codes postaux ou leur début.",
      "`ids=place/rennes,article/bretagne` renvoie jusqu'à 100 éléments, dans cet ordre. `bbox=ouest,sud,est,nord` sélectionne un rectangle (plan Pro).",
      "Parcourez les résultats avec `limit` et `offset`, sans limite de profondeur. Pour tout recevoir en une fois, utilisez `limit=all` avec `format=csv`, `ndjson` ou `geojson` (plan Pro).",
      "Les erreurs, `/api` et ces pages sont en français avec `Accept-Language: fr`. Les noms de champs, les codes et les valeurs ne changent pas.",
      "Le plan Discovery est gratuit et renvoie le résumé de chaque élément, sans coordonnées. Le plan Pro renvoie tous les champs et est facturé au volume.",
    ],
    map: "Voir la carte",
  },
  keys: {
    title: "Authentification",
    about:
      "Envoyez la clé de l'une de ces façons. La même clé peut être envoyée deux fois ; deux clés différentes sont refusées. Une clé nouvelle, modifiée ou révoquée prend effet en une seconde au plus.",
    advice:
      "Préférez un en-tête : les adresses restent dans les historiques et les journaux. Ce service retire `?key=` de ses journaux, de ses liens et de ses erreurs, et envoie ces réponses avec `Cache-Control: private, no-store`.",
  },
  plans: {
    title: "Plans et limites",
    plan: "Plan",
    price: "Prix",
    items: "Éléments par jour",
    fields: "Champs",
    geo: "Recherche par point et rectangle",
    export: "Export",
    requests: "Requêtes",
    yes: "oui",
    no: "non",
    andMore: "{} et plus",
    window: "{} par 60 s",
    prices: { discovery: "0 €", pro: "facturé au volume, selon l'usage" },
    variants: { summary: "résumé", all: "tous" },
    operator: "L'exploitant de ce service délivre les clés d'API.",
    contact: "Demander une clé :",
    counting:
      'Chaque élément envoyé dans une réponse 200 compte : une entrée de liste, un objet GeoJSON, une ligne, un élément seul. Les totaux, les facettes, `/api/meta`, `/api/usage`, HEAD, 304 et les erreurs sont gratuits. Le quota est rétabli à minuit UTC. Une page qui dépasse le quota restant est écourtée et contient `"quota_truncated": true` ; son lien `next` reprend après le dernier élément.',
    headers: "Toute réponse à une clé valide indique le quota restant :",
    retry: "Les réponses 429 contiennent `Retry-After` : réessayez après ce nombre de secondes.",
  },
  fields: {
    title: "Champs d'un élément",
    about:
      "Chaque champ du plan et du type est toujours présent : une valeur inconnue est `null`, une liste vide `[]`. Il n'y a pas d'autres champs. `fields=` en sélectionne une partie.",
    field: "Champ",
    plan: "Plan",
    type: "Type",
    schema: "Schéma",
    description: "Description",
    everyPlan: "tous",
    everyType: "tous les types",
    with: "avec {}",
  },
  formats: {
    title: "Formats",
    about:
      "`format=` l'emporte sur `Accept` ; par défaut, JSON. `limit=all` envoie tous les résultats en csv, ndjson ou geojson (Pro).",
    format: "Format",
    media: "Type de média",
    where: "Où",
    notes: "Remarques",
    note: {
      json: "Une page avec `items`, `total` et des liens ; un élément seul est un simple objet.",
      geojson:
        "FeatureCollection ou Feature (RFC 7946), positions lon, lat ; la géométrie est null avec le plan Discovery.",
      csv: "RFC 4180, UTF-8, CRLF ; objets aplatis (`commune_code`), listes jointes par `|`. Total et page suivante dans `X-Total-Count` et `Link`.",
      ndjson: "Un élément par ligne. Total et page suivante dans `X-Total-Count` et `Link`.",
      "ld+json": "Organization, Place ou Article de schema.org.",
    },
  },
};

export const DOCS_TEXTS: Readonly<Record<Language, DocsTexts>> = { en, fr: withFrenchSpaces(fr) };
