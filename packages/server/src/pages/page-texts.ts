/** Texts of the pages of every service. `{}` is a placeholder; backticks mark code. */
export type Language = "en" | "fr";

const en = {
  skip: "Skip to the content",
  languages: "Language",
  home: {
    ready: "Ready at {}",
    notReady: "Not ready: {}",
    tryIt: "Try it",
    next: "Next steps",
    referenceAbout: "Every endpoint with its parameters, errors, and code in five languages. You can try requests.",
    openApiAbout: "Machine-readable API description for clients and tools.",
    guide: "Guide for agents",
    guideAbout: "The whole API as plain text.",
  },
  reference: {
    label: "Reference",
    title: "{}: reference",
    contents: "Contents",
    filter: "Filter",
    generated: "Generated from the contract that validates requests. Other formats:",
    guide: "guide for agents",
  },
  endpoint: {
    tryIt: "Try it",
    noKey: "No authentication required.",
    parameters: "Parameters",
    inPath: "in the path",
    requestBody: "Request body",
    requestBodyOf: "Request body of {}",
    responses: "Responses",
    responseBody: "Response body",
    responseBodyOf: "Response body of {}",
    colon: ": ",
    problems: "Problems:",
  },
  values: {
    oneOf: "one of {}",
    range: "{} to {}",
    rangeAbove: "more than {} to {}",
    repeated: "can be repeated: all values must match",
    list: "comma-separated list",
    items: "at most {} values",
    characters: "at most {} characters",
  },
  errors: {
    title: "Errors",
    intro:
      "Every error is an `application/problem+json` document (RFC 9457). Rely on `code`. `errors` lists all issues of a request with their location and the nearest valid value, if there is one. Each code has its own page.",
    status: "Status",
    code: "Code",
    meaning: "Meaning and remedy",
  },
  problem: {
    status: "HTTP status {}",
    meaning: "What it means",
    remedy: "What to do",
    body: "Response body",
    stable:
      "Rely on `code`, which is stable; texts may change. If you contact the operator, include the `request_id`, which is also in the `X-Request-Id` header.",
    endpoints: "Endpoints",
    anywhere:
      "No endpoint of this service lists this problem. Either any request can cause it, or another service returns it.",
    exampleIssue: "at most 200",
  },
};

export type PageTexts = typeof en;

const fr: PageTexts = {
  skip: "Aller au contenu",
  languages: "Langue",
  home: {
    ready: "Prêt à l'adresse {}",
    notReady: "Pas encore prêt : {}",
    tryIt: "Premiers essais",
    next: "Pour aller plus loin",
    referenceAbout:
      "Tous les points d'accès avec leurs paramètres, du code en cinq langages et les erreurs. Les requêtes peuvent être essayées.",
    openApiAbout: "Description de l'API lisible par les clients et les outils.",
    guide: "Guide pour les agents",
    guideAbout: "Toute l'API en texte brut.",
  },
  reference: {
    label: "Référence",
    title: "{} : référence",
    contents: "Sommaire",
    filter: "Filtrer",
    generated: "Générée à partir du contrat qui valide les requêtes. Autres formats :",
    guide: "guide pour les agents",
  },
  endpoint: {
    tryIt: "Essayer",
    noKey: "Aucune authentification requise.",
    parameters: "Paramètres",
    inPath: "dans le chemin",
    requestBody: "Corps de la requête",
    requestBodyOf: "Corps de la requête {}",
    responses: "Réponses",
    responseBody: "Corps de la réponse",
    responseBodyOf: "Corps de la réponse {}",
    colon: " : ",
    problems: "Erreurs possibles :",
  },
  values: {
    oneOf: "une valeur parmi {}",
    range: "de {} à {}",
    rangeAbove: "plus de {}, {} au plus",
    repeated: "répétable : toutes les valeurs doivent correspondre",
    list: "liste séparée par des virgules",
    items: "{} valeurs au plus",
    characters: "{} caractères au plus",
  },
  errors: {
    title: "Erreurs",
    intro:
      "Chaque erreur est un document `application/problem+json` (RFC 9457). Fiez-vous à `code`. `errors` énumère toutes les erreurs d'une requête, avec leur emplacement et, s'il y en a une, la valeur valide la plus proche. Chaque code a sa page.",
    status: "Statut",
    code: "Code",
    meaning: "Signification et remède",
  },
  problem: {
    status: "statut HTTP {}",
    meaning: "Signification",
    remedy: "Que faire",
    body: "Corps de la réponse",
    stable:
      "Fiez-vous à `code`, qui est stable ; les textes peuvent changer. Si vous contactez l'exploitant, indiquez le `request_id`, présent aussi dans l'en-tête `X-Request-Id`.",
    endpoints: "Points d'accès",
    anywhere:
      "Aucun point d'accès de ce service ne déclare cette erreur. Toute requête peut la provoquer, ou bien elle vient d'un autre service.",
    exampleIssue: "200 au plus",
  },
};

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = { en, fr: withFrenchSpaces(fr) };

/** Inserts non-breaking spaces before double punctuation and inside French quotes. */
export function withFrenchSpaces<T>(texts: T): T;
export function withFrenchSpaces(texts: unknown): unknown {
  if (typeof texts === "string")
    return texts.replaceAll(/ (?=[;!?])/g, "\u202F").replaceAll(/ (?=[:»])|(?<=«) /g, "\u00A0");
  if (Array.isArray(texts)) return texts.map((entry: unknown) => withFrenchSpaces(entry));
  if (typeof texts !== "object" || texts === null) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, withFrenchSpaces(text)]));
}

export function fill(text: string, ...values: readonly (string | number)[]): string {
  let next = 0;
  return text.replaceAll("{}", () => String(values[next++] ?? ""));
}
