/** French texts of endpoints and parameters, by their English text in the contract. Names and values are not translated. */
export const ENDPOINT_TEXTS: Readonly<Record<string, string>> = {
  "Triptych directory": "Annuaire Triptych",
  "Read-only JSON API for actors, places and articles of the French départements and régions, with filters, French full-text search and radius search. Free to explore (Discovery), billed by volume (Pro).":
    "API JSON en lecture seule des acteurs, lieux et articles des départements et régions de France, avec des filtres, une recherche en français et une recherche autour d'un point. Gratuite pour découvrir (Discovery), facturée au volume (Pro).",
  "Authorization: Bearer <API_KEY>": "Authorization: Bearer <API_KEY>",
  "X-API-Key: <API_KEY>": "X-API-Key: <API_KEY>",
  "?key=<API_KEY>, for clients that cannot set a header":
    "?key=<API_KEY>, pour les clients qui ne peuvent pas envoyer d'en-tête",

  "Discovery documentation of the API": "Description de l'API",
  "Free of charge and without a key. Lists plans, endpoints, formats and limits for programs.":
    "Gratuit et sans clé. Présente aux programmes les plans, les points d'accès, les formats et les limites.",
  "no key required: ignored": "aucune clé nécessaire : ignoré",
  "Get statistics and closed lists": "Statistiques et listes fermées",
  "Costs one request and no items. Lists include entries without items.":
    "Compte pour une requête et aucun élément. Les listes comprennent les entrées sans élément.",
  "API key, for clients that cannot set a header": "clé d'API, pour les clients qui ne peuvent pas envoyer d'en-tête",

  "List items, with filters": "Liste filtrée d'éléments",
  "Different parameters combine with AND, values of a comma list with OR. In `type`, `tag` and `source`, `-` before a value excludes it. `total` is exact at any depth. Costs one request and the returned items.":
    "Les paramètres se combinent (ET), les valeurs d'une liste à virgules sont des alternatives (OU). Dans `type`, `tag` et `source`, `-` devant une valeur l'exclut. `total` est exact à toute profondeur. Compte pour une requête, plus les éléments renvoyés.",
  "any of these types; `type=-article` excludes a type": "l'un de ces types ; `type=-article` exclut un type",
  "one département by name; case, accents and separators are ignored":
    "un département par son nom ; casse, accents et séparateurs sont ignorés",
  "any of these départements, by slug or INSEE code": "l'un de ces départements, par slug ou code INSEE",
  "any of these régions, by slug, name or code": "l'une de ces régions, par slug, nom ou code",
  "one commune by name; case, accents and hyphens are ignored, and St means Saint. Matches all communes of that name; add `departement` to select one. A name without items is 400":
    "une commune par son nom ; casse, accents, tirets et Saint/St sont ignorés. Correspond à toutes les communes de ce nom ; ajoutez `departement` pour n'en retenir qu'une. Un nom sans élément donne 400",
  "any of these communes, by INSEE code, e.g. 35238 or 2A004; not a postal code":
    "l'une de ces communes, par code INSEE, par exemple 35238 ou 2A004 ; pas un code postal",
  "any of these postal codes: five digits, or the first two to four":
    "l'un de ces codes postaux : cinq chiffres, ou les deux à quatre premiers",
  "any of these sources, by name or slug; the facet `source` lists them. `source=-a` excludes a source. An unknown source is 400":
    "l'une de ces sources, par nom ou slug ; la facette `source` les énumère. `source=-a` exclut une source. Une source inconnue donne 400",
  "theme: `tag=a,b` matches any of them, `tag=a&tag=b` all of them, `tag=-a` excludes items with it. An unknown tag matches nothing":
    "thème : `tag=a,b` l'un d'eux, `tag=a&tag=b` tous, `tag=-a` exclut un thème. Un thème inconnu ne trouve rien",
  "full text: all words must occur, see `strict`; accents, case and inflection are ignored; the last word may be incomplete. Quotes require a phrase of the title or commune; `-` before a word or a quoted phrase excludes it":
    "texte : tous les mots doivent être présents, voir `strict` ; accents, casse et terminaisons sont ignorés ; le dernier mot peut être incomplet. Les guillemets exigent une suite de mots du titre ou de la commune ; `-` exclut un mot ou une suite entre guillemets",
  "lat,lon in decimal degrees (Pro)": "lat,lon en degrés décimaux (Pro)",
  "radius around `near` in kilometers, default 10 (Pro)": "rayon autour de `near` en kilomètres, 10 par défaut (Pro)",
  "box west,south,east,north in decimal degrees, borders included (Pro). West above east crosses the antimeridian. Items without a location never match":
    "rectangle ouest,sud,est,nord en degrés décimaux, bords compris (Pro). Un ouest supérieur à l'est franchit l'antiméridien. Les éléments sans coordonnées ne correspondent jamais",
  "these items in this order, as `type/slug`; repetitions count once, and unknown IDs are returned in `missing`. Can be combined with `limit`, `offset`, `fields` and `format` only; the default limit is all of them":
    "ces éléments dans cet ordre, sous la forme `type/slug` ; les répétitions comptent une fois, les inconnus figurent dans `missing`. Seulement avec `limit`, `offset`, `fields` et `format` ; sans `limit`, tous",
  "items per page, default 20; 0 for totals and facets only; `all` streams every match as csv, ndjson or geojson (Pro)":
    "éléments par page, 20 par défaut ; 0 pour les totaux et facettes seuls ; `all` envoie tous les résultats en csv, ndjson ou geojson (Pro)",
  "items to skip, default 0; no depth limit": "éléments à sauter, 0 par défaut ; sans limite de profondeur",
  "`relevance` requires `q`, `distance` requires `near`. Default: distance with `near`, else relevance with `q`, else title":
    "`relevance` nécessite `q`, `distance` nécessite `near` ; par défaut, le premier possible de distance, pertinence et titre",
  "exact counts per value under all active filters; JSON only":
    "nombres exacts par valeur, sous tous les filtres actifs ; JSON seulement",
  "overrides `Accept`": "l'emporte sur `Accept`",
  "returns only these keys; `type` and `slug` are always included. Keys of the full set require the Pro plan. `distance_km` requires `near`, `highlights` requires `highlight=true`: these always add them":
    "ne renvoie que ces clés ; `type` et `slug` sont toujours présents. Les clés de l'ensemble complet nécessitent le plan Pro. `distance_km` nécessite `near`, `highlights` nécessite `highlight=true` : ils les ajoutent toujours",
  "true adds `highlights` to each item: `title` and `summary` as HTML with `<mark>` around the words that `q` matched. Not with csv":
    "true ajoute `highlights` à chaque élément : `title` et `summary` en HTML, avec `<mark>` autour des mots trouvés par `q`. Pas en csv",
  "a `version` or an RFC 3339 time: only items created or changed since. With `format=ndjson&limit=all` also tombstones `{type, slug, deleted_at}`, before the items":
    "une `version` ou une date RFC 3339 : seulement les éléments créés ou modifiés depuis. Avec `format=ndjson&limit=all`, aussi les suppressions `{type, slug, deleted_at}`, avant les éléments",
  "false disables typo correction in `q`": "false désactive la correction des fautes de frappe dans `q`",
  "true requires all words of `q`. Otherwise, words are dropped or widened if all of them together match nothing, or only a few items outside the town in `q`; see `query.relaxed`":
    "true exige tous les mots de `q` ; sinon, des mots sont retirés ou élargis quand aucun élément ne les a tous, ou seulement quelques-uns hors de la ville citée dans `q`, voir `query.relaxed`",
  "false searches only the words of `q`, without their synonyms":
    "false ne cherche que les mots de `q`, sans leurs synonymes",

  "Completions of titles, communes and tags": "Complétion de titres, de communes et de thèmes",
  "For search boxes. Matching ignores case, accents and hyphens, and reads `St` as `Saint`. Texts that start with `q` come first, then texts whose words start with the words of `q`, then matches after typo correction. Within each group, texts with more items come first. Costs one request and no items.":
    "Pour les champs de recherche : le début d'un texte, sans tenir compte de la casse, des accents, des tirets ni de `St` pour `Saint`. D'abord les textes qui commencent par `q`, puis ceux dont des mots commencent par les siens, puis les mêmes après correction d'une faute ; dans chaque groupe, ceux qui ont le plus d'éléments. Compte pour une requête et aucun élément.",
  "the text typed so far": "le début d'un texte",
  "only completions from items of these types; counts include only these types":
    "seulement les titres, communes et thèmes d'éléments de ces types ; les nombres portent sur ces types",
  "maximum number of completions, default 10": "propositions, 10 par défaut",

  "Get an item": "Un élément",
  "The keys depend on the plan of the API key. `fields` returns fewer keys. Costs one request and one item.":
    "Les clés de l'élément dépendent du plan de la clé d'API. `fields` en renvoie moins. Compte pour une requête et un élément.",
  "item type": "type de l'élément",
  "the item's slug, ^[a-z0-9]+(-[a-z0-9]+)*$": "slug de l'élément, ^[a-z0-9]+(-[a-z0-9]+)*$",
  "returns only these keys; `type` and `slug` are always included. Keys of the full set require the Pro plan":
    "ne renvoie que ces clés ; `type` et `slug` sont toujours présents. Les clés de l'ensemble complet nécessitent le plan Pro",

  "Get the usage of this key": "Consommation de cette clé",
  "Costs one request and no items.": "Compte pour une requête et aucun élément.",
  "first day, default the first of this month (UTC)": "premier jour, par défaut le premier du mois (UTC)",
  "last day, default today; at most 92 days": "dernier jour, par défaut aujourd'hui ; 92 jours au plus",
};
