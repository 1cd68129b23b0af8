/** The texts of `/api` in French, by endpoint and parameter. Names and values stay as they are. */
interface FrenchEndpoint {
  readonly summary: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const key = "clé d'API, pour les clients qui ne peuvent pas envoyer d'en-tête";
const fields =
  "ne renvoie que ces clés ; `type` et `slug` sont toujours présents. Les clés de l'ensemble complet nécessitent le plan Pro";

const ENDPOINTS: Readonly<Record<string, FrenchEndpoint>> = {
  getDiscovery: {
    summary: "Description de l'API",
    parameters: { key: "aucune clé nécessaire : ignoré" },
  },
  getMeta: { summary: "Statistiques et listes fermées", parameters: { key } },
  getItems: {
    summary: "Liste filtrée d'éléments",
    parameters: {
      type: "l'un de ces types ; `type=-article` exclut un type",
      departement: "un département par son nom ; casse, accents et séparateurs sont ignorés",
      departements: "l'un de ces départements, par slug ou code INSEE",
      region: "l'une de ces régions, par slug, nom ou code",
      commune:
        "une commune par son nom ; casse, accents, tirets et Saint/St sont ignorés. Toutes les communes de ce nom ; ajoutez `departement` pour une seule. Un nom sans élément donne 400",
      insee: "l'une de ces communes, par code INSEE, par exemple 35238 ou 2A004 ; pas un code postal",
      code_postal: "l'un de ces codes postaux : cinq chiffres, ou les deux à quatre premiers",
      source:
        "l'une de ces sources, par nom ou slug ; la facette `source` les liste. `source=-a` exclut une source. Une source inconnue donne 400",
      tag: "thème : `tag=a,b` l'un d'eux, `tag=a&tag=b` tous, `tag=-a` exclut un thème. Un thème inconnu ne trouve rien",
      q: "texte : recherche des mots sans accents, casse ni terminaisons ; le dernier mot peut être incomplet. Les guillemets exigent une suite de mots du titre ou de la commune ; `-` exclut un mot ou une suite entre guillemets",
      strict: "true : tous les mots doivent être trouvés",
      synonyms: "false désactive les synonymes",
      near: "lat,lon en degrés décimaux (Pro)",
      radius: "rayon autour de `near` en kilomètres, 10 par défaut (Pro)",
      bbox: "rectangle ouest,sud,est,nord en degrés décimaux, bords compris (Pro). Ouest supérieur à est franchit l'antiméridien",
      ids: "ces éléments dans cet ordre, sous la forme `type/slug` ; les inconnus figurent dans `missing`",
      limit:
        "éléments par page, 20 par défaut ; 0 pour les totaux et facettes seuls ; `all` envoie tout en csv, ndjson ou geojson (Pro)",
      offset: "éléments à sauter, 0 par défaut ; sans limite de profondeur",
      sort: "`relevance` nécessite `q`, `distance` nécessite `near` ; par défaut distance, pertinence ou titre",
      facets: "nombres exacts par valeur sous les filtres actifs ; JSON seulement",
      format: "l'emporte sur `Accept`",
      fields: `${fields}. \`distance_km\` nécessite \`near\`, qui l'ajoute toujours`,
      highlight:
        "true ajoute `highlights` à chaque élément : `title` et `summary` en HTML, avec `<mark>` autour des mots trouvés. Pas en csv",
      since:
        "une `version` ou une date RFC 3339 : seulement les éléments créés ou modifiés depuis. Avec `format=ndjson&limit=all`, aussi les suppressions `{type, slug, deleted_at}`, avant les éléments",
      correct: "false désactive la correction des fautes de frappe dans `q`",
      key,
    },
  },
  suggest: {
    summary: "Complétion de titres, communes et thèmes",
    parameters: {
      q: "le début d'un texte",
      type: "seulement pour les éléments de ces types, nombres compris",
      limit: "propositions, 10 par défaut",
      key,
    },
  },
  getItem: {
    summary: "Un élément",
    parameters: { type: "type de l'élément", slug: "slug de l'élément", fields, format: "l'emporte sur `Accept`", key },
  },
  getUsage: {
    summary: "Consommation de cette clé",
    parameters: {
      from: "premier jour, par défaut le premier du mois (UTC)",
      to: "dernier jour, par défaut aujourd'hui ; au plus 92 jours",
      key,
    },
  },
};

export function frenchSummary(endpoint: string): string | null {
  return ENDPOINTS[endpoint]?.summary ?? null;
}

export function frenchParameter(endpoint: string, parameter: string): string | null {
  return ENDPOINTS[endpoint]?.parameters[parameter] ?? null;
}
