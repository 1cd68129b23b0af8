/**
 * All texts of the map page in French and English. The page is served in French; English replaces it with `lang=en`, or
 * when the URL has no `lang` and the browser does not prefer French. `{name}` is a placeholder.
 */

/** @typedef {keyof typeof FRENCH} MessageKey */

const FRENCH = {
  title: "Carte de l'annuaire",
  docs: "Documentation",
  otherLanguage: "English",
  search: "Recherche",
  searchHint: "musée, mairie, Brest…",
  filters: "Filtres",
  results: "Résultats",
  map: "Carte",
  skip: "Aller aux résultats",
  keyLabel: "Clé d'API",
  keyUse: "Utiliser",
  keyForget: "Retirer la clé",
  keyWhy: "La carte interroge l'API avec votre clé. Votre clé reste dans cet onglet et n'est jamais ajoutée à l'URL.",
  keyLocal: "Au premier démarrage, des clés d'essai ont été écrites dans credentials.json, dans le dossier de données.",
  keyRefused: "Clé refusée : {detail}",
  planDiscovery: "Discovery",
  planPro: "Pro",
  left: "{count} éléments restants aujourd'hui",
  unlimited: "sans limite quotidienne",
  type: "Type",
  region: "Région",
  departement: "Département",
  tag: "Thème",
  actor: "Acteur",
  place: "Lieu",
  article: "Article",
  showAll: "Tout afficher ({count})",
  showLess: "Afficher moins",
  nothingHere: "Aucune valeur",
  clear: "Retirer les filtres",
  remove: "Retirer le filtre : {name}",
  sort: "Trier par",
  sortDefault: "pertinence (par défaut)",
  sortTitle: "titre",
  sortRelevance: "pertinence",
  sortDistance: "distance",
  sortNewest: "plus récents",
  sortOldest: "plus anciens",
  around: "Autour de",
  aroundPoint: "Autour d'un point",
  aroundMe: "Autour de moi",
  aroundPick: "Cliquez sur la carte, ou déplacez-la avec les flèches et appuyez sur Entrée. Échap pour annuler.",
  aroundAt: "Autour de {lat}, {lon}",
  radius: "Rayon",
  km: "{km} km",
  geoDenied: "Position indisponible. Autorisez la géolocalisation dans votre navigateur.",
  needsPro: "Réservé au plan Pro.",
  noGeo: "Votre navigateur ne prend pas en charge la géolocalisation.",
  total: "{count} résultats",
  totalOne: "1 résultat",
  totalNone: "Aucun résultat",
  noneHint: "Retirez un filtre ou modifiez votre recherche.",
  corrected: "Aucun résultat pour « {from} ». Résultats pour « {to} » :",
  unknownTags: "Thème inconnu : {tags}.",
  more: "Afficher {count} résultats de plus",
  loadPoints: "Afficher les {count} points",
  loadPointsCost: "{count} éléments décomptés de votre quota",
  countsDiscovery:
    "Le plan Discovery n'inclut pas les coordonnées. La carte affiche le nombre de résultats par département, ou par région en vue éloignée. Le plan Pro affiche chaque point.",
  countsMany: "Plus de 400 résultats : la carte affiche leur nombre par département.",
  noLocation: "{count} sans coordonnées",
  offMap: "{count} hors de la carte",
  noDepartement: "{count} sans département",
  hereTitle: "{count} résultats à cet endroit",
  export: "Exporter",
  exportNote: "Exporte tous les résultats : {count} éléments, décomptés de votre quota.",
  exportBusy: "Export en cours… {count}",
  exportDone: "Export terminé : {count} éléments.",
  exportShort: "Export arrêté à {count} éléments sur {total} : le quota du jour est atteint.",
  exportFailed: "L'export a été interrompu. Aucun fichier n'a été enregistré.",
  call: "Appel à l'API",
  copyUrl: "Copier l'URL",
  copyCurl: "Copier la commande curl",
  copied: "Copié",
  copyFailed: "Échec de la copie. Sélectionnez le texte.",
  territories: "Autres territoires",
  clearCircle: "Retirer le cercle",
  zoomIn: "Zoom avant",
  zoomOut: "Zoom arrière",
  home: "Vue d'ensemble",
  mapHelp:
    "Carte. Flèches : déplacer. Plus et moins : zoom. Zéro : vue d'ensemble. La liste contient les mêmes résultats.",
  website: "Site",
  address: "Adresse",
  email: "Courriel",
  phone: "Téléphone",
  access: "Accès",
  hours: "Horaires",
  founded: "Création",
  author: "Auteur",
  source: "Source",
  tags: "Thèmes",
  summaryOnly: "Le plan Discovery affiche le résumé. Le plan Pro affiche la fiche complète.",
  attribution: "Données : {names}",
  outlinesBy: "Contours : {names}",
  waiting: "Limite de requêtes par minute atteinte. Nouvel essai dans {seconds} s.",
  renewed: "Les données ont été mises à jour. La liste reprend au début.",
  unreachable: "Le service ne répond pas.",
  retry: "Réessayer",
  requestId: "Requête {id}",
};

/** @type {Record<MessageKey, string>} */
const ENGLISH = {
  title: "Map of the directory",
  docs: "Documentation",
  otherLanguage: "Français",
  search: "Search",
  searchHint: "museum, town hall, Brest…",
  filters: "Filters",
  results: "Results",
  map: "Map",
  skip: "Skip to results",
  keyLabel: "API key",
  keyUse: "Use",
  keyForget: "Remove key",
  keyWhy: "The map calls the API with your key. The key stays in this tab and is never added to the URL.",
  keyLocal: "The first start wrote demo keys to credentials.json in the data folder.",
  keyRefused: "Key rejected: {detail}",
  planDiscovery: "Discovery",
  planPro: "Pro",
  left: "{count} items left today",
  unlimited: "no daily limit",
  type: "Type",
  region: "Region",
  departement: "Département",
  tag: "Theme",
  actor: "Actor",
  place: "Place",
  article: "Article",
  showAll: "Show all ({count})",
  showLess: "Show less",
  nothingHere: "No value",
  clear: "Clear filters",
  remove: "Remove filter: {name}",
  sort: "Sort by",
  sortDefault: "relevance (default)",
  sortTitle: "title",
  sortRelevance: "relevance",
  sortDistance: "distance",
  sortNewest: "newest",
  sortOldest: "oldest",
  around: "Near",
  aroundPoint: "Near a point",
  aroundMe: "Near me",
  aroundPick: "Click the map, or move it with the arrow keys and press Enter. Press Escape to cancel.",
  aroundAt: "Near {lat}, {lon}",
  radius: "Radius",
  km: "{km} km",
  geoDenied: "Location unavailable. Allow location access in your browser.",
  needsPro: "Requires the Pro plan.",
  noGeo: "Your browser does not support geolocation.",
  total: "{count} results",
  totalOne: "1 result",
  totalNone: "No results",
  noneHint: "Remove a filter or change your search.",
  corrected: "No results for “{from}”. Results for “{to}”:",
  unknownTags: "Unknown theme: {tags}.",
  more: "Show {count} more results",
  loadPoints: "Show the {count} points",
  loadPointsCost: "uses {count} items of your quota",
  countsDiscovery:
    "The Discovery plan does not include coordinates. The map shows the number of results per département, or per region when zoomed out. The Pro plan shows each point.",
  countsMany: "More than 400 results: the map shows the number per département.",
  noLocation: "{count} without coordinates",
  offMap: "{count} outside the map",
  noDepartement: "{count} without département",
  hereTitle: "{count} results at this place",
  export: "Export",
  exportNote: "Exports all results: {count} items, counted toward your quota.",
  exportBusy: "Exporting… {count}",
  exportDone: "Export finished: {count} items.",
  exportShort: "Export stopped at {count} of {total} items: today's quota is used up.",
  exportFailed: "The export was interrupted. No file was saved.",
  call: "API call",
  copyUrl: "Copy URL",
  copyCurl: "Copy as curl",
  copied: "Copied",
  copyFailed: "Copy failed. Select the text instead.",
  territories: "Other territories",
  clearCircle: "Remove circle",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  home: "Whole map",
  mapHelp: "Map. Arrow keys: pan. Plus and minus: zoom. Zero: whole map. The list contains the same results.",
  website: "Website",
  address: "Address",
  email: "Email",
  phone: "Phone",
  access: "Access",
  hours: "Hours",
  founded: "Founded",
  author: "Author",
  source: "Source",
  tags: "Themes",
  summaryOnly: "The Discovery plan shows the summary. The Pro plan shows the full entry.",
  attribution: "Data: {names}",
  outlinesBy: "Outlines: {names}",
  waiting: "Rate limit reached. Retrying in {seconds} s.",
  renewed: "The data was updated. The list restarts from the top.",
  unreachable: "The service is not responding.",
  retry: "Try again",
  requestId: "Request {id}",
};

/** @typedef {"fr" | "en"} Language */

/** @returns {Language} */
export function chooseLanguage(/** @type {string | null} */ requested, /** @type {readonly string[]} */ preferred) {
  if (requested === "fr" || requested === "en") return requested;
  return preferred.length === 0 || preferred.some((tag) => tag.toLowerCase().startsWith("fr")) ? "fr" : "en";
}

/** @typedef {ReturnType<typeof createTranslator>} Translator */

/** Formats texts and numbers of one language. */
export function createTranslator(/** @type {Language} */ language) {
  const messages = language === "fr" ? FRENCH : ENGLISH;
  const format = new Intl.NumberFormat(language);
  return {
    language,
    /** @param {MessageKey} key @param {Record<string, string | number>} [values] */
    say(key, values = {}) {
      return messages[key].replaceAll(/\{(\w+)\}/g, (_, name) => {
        const value = values[name] ?? "";
        return typeof value === "number" ? format.format(value) : value;
      });
    },
    number: (/** @type {number} */ value, digits = 0) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value),
  };
}

/** The French texts, as served. */
export const SERVED_MESSAGES = FRENCH;

/** @returns {key is MessageKey} */
export function isMessageKey(/** @type {string | undefined} */ key) {
  return key !== undefined && Object.hasOwn(FRENCH, key);
}
