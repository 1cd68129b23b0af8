/**
 * Every word of the map page, in French and English. The page arrives in French; English replaces it when the address says
 * `lang=en`, or says nothing and the browser does not prefer French. `{name}` is filled in.
 */

/** @typedef {keyof typeof FRENCH} Word */

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
  keyWhy: "La carte interroge l'API avec votre clé. Votre clé reste dans cet onglet et n'entre jamais dans l'adresse.",
  keyLocal: "Au premier démarrage, des clés d'essai ont été écrites dans credentials.json, dans le dossier de données.",
  keyRefused: "Cette clé n'est pas acceptée : {detail}",
  planDiscovery: "Discovery",
  planPro: "Pro",
  left: "{count} éléments restants aujourd'hui",
  unlimited: "sans plafond quotidien",
  type: "Type",
  region: "Région",
  departement: "Département",
  tag: "Thème",
  actor: "Acteur",
  place: "Lieu",
  article: "Article",
  showAll: "Tout montrer ({count})",
  showLess: "Montrer moins",
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
  aroundPick: "Cliquez sur la carte, ou déplacez-la avec les flèches puis appuyez sur Entrée. Échap annule.",
  aroundAt: "Autour de {lat}, {lon}",
  radius: "Rayon",
  km: "{km} km",
  geoDenied: "Le navigateur n'a pas donné votre position.",
  needsPro: "Réservé au plan Pro.",
  noGeo: "Le navigateur ne sait pas donner de position.",
  total: "{count} résultats",
  totalOne: "1 résultat",
  totalNone: "Aucun résultat",
  noneHint: "Retirez un filtre ou changez un mot.",
  corrected: "Aucun résultat pour « {from} ». Résultats pour « {to} » :",
  unknownTags: "Thème inconnu : {tags}.",
  more: "Afficher {count} résultats de plus",
  loadPoints: "Afficher les {count} points",
  loadPointsCost: "décompte {count} éléments de votre quota",
  countsDiscovery:
    "Le plan Discovery ne donne pas de coordonnées : la carte montre le nombre de résultats par département (de loin, par région). Les points sont dans le plan Pro.",
  countsMany: "Plus de 400 résultats : la carte affiche leur nombre par département.",
  noLocation: "{count} sans coordonnées",
  offMap: "{count} hors de la carte",
  noDepartement: "{count} sans département",
  hereTitle: "{count} résultats à cet endroit",
  export: "Exporter",
  exportNote: "Exporte tous les résultats du filtre : {count} éléments, comptés dans votre quota.",
  exportBusy: "Export en cours… {count}",
  exportDone: "Export terminé : {count} éléments.",
  exportShort: "Export arrêté à {count} éléments sur {total} : le quota du jour est atteint.",
  exportFailed: "L'export a été coupé. Rien n'a été enregistré.",
  call: "Appel à l'API",
  copyUrl: "Copier l'adresse",
  copyCurl: "Copier la commande curl",
  copied: "Copié",
  copyFailed: "La copie a échoué : sélectionnez le texte.",
  territories: "Autres territoires",
  clearCircle: "Retirer le cercle",
  zoomIn: "Agrandir",
  zoomOut: "Réduire",
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
  summaryOnly: "Le plan Discovery donne le résumé ; la fiche complète est dans le plan Pro.",
  attribution: "Données : {names}",
  outlinesBy: "Contours : {names}",
  waiting: "Limite de requêtes par minute atteinte. Reprise dans {seconds} s.",
  renewed: "Les données viennent d'être mises à jour : la liste recommence au début.",
  unreachable: "Le service ne répond pas.",
  retry: "Réessayer",
  requestId: "Requête {id}",
};

/** @type {Record<Word, string>} */
const ENGLISH = {
  title: "Map of the directory",
  docs: "Documentation",
  otherLanguage: "Français",
  search: "Search",
  searchHint: "museum, town hall, Brest…",
  filters: "Filters",
  results: "Results",
  map: "Map",
  skip: "Skip to the results",
  keyLabel: "API key",
  keyUse: "Use",
  keyForget: "Remove the key",
  keyWhy: "The map calls the API with your key. The key stays in this tab and is never put in the URL.",
  keyLocal: "On this machine, the first start wrote trial keys to credentials.json in the data folder.",
  keyRefused: "This key is not accepted: {detail}",
  planDiscovery: "Discovery",
  planPro: "Pro",
  left: "{count} items left today",
  unlimited: "no daily cap",
  type: "Type",
  region: "Region",
  departement: "Département",
  tag: "Theme",
  actor: "Actor",
  place: "Place",
  article: "Article",
  showAll: "Show all ({count})",
  showLess: "Show fewer",
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
  around: "Around",
  aroundPoint: "Around a point",
  aroundMe: "Around me",
  aroundPick: "Click on the map, or move it with the arrow keys and press Enter. Escape cancels.",
  aroundAt: "Around {lat}, {lon}",
  radius: "Radius",
  km: "{km} km",
  geoDenied: "The browser did not give your position.",
  needsPro: "Needs the Pro plan.",
  noGeo: "The browser cannot give a position.",
  total: "{count} results",
  totalOne: "1 result",
  totalNone: "No result",
  noneHint: "Remove a filter or change a word.",
  corrected: "No results for “{from}”. Results for “{to}”:",
  unknownTags: "Unknown theme: {tags}.",
  more: "Show {count} more results",
  loadPoints: "Show the {count} points",
  loadPointsCost: "counts {count} items",
  countsDiscovery:
    "The Discovery plan gives no coordinates, so the map shows how many results each département (when zoomed out, per region) has. Points come with the Pro plan.",
  countsMany: "More than 400 results: the map shows how many each département has.",
  noLocation: "{count} without coordinates",
  offMap: "{count} outside the map",
  noDepartement: "{count} without département",
  hereTitle: "{count} results at this place",
  export: "Export",
  exportNote: "Exports every result of the filter: {count} items, counted in your quota.",
  exportBusy: "Exporting… {count}",
  exportDone: "Export finished: {count} items.",
  exportShort: "Export stopped at {count} of {total} items: today's quota is used up.",
  exportFailed: "The export broke off. Nothing was saved.",
  call: "API call",
  copyUrl: "Copy the address",
  copyCurl: "Copy as curl",
  copied: "Copied",
  copyFailed: "Copying failed: select the text.",
  territories: "Other territories",
  clearCircle: "Remove the circle",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  home: "Whole map",
  mapHelp: "Map. Arrows move. Plus and minus zoom. Zero shows all. The list holds the same results.",
  website: "Website",
  address: "Address",
  email: "E-mail",
  phone: "Phone",
  access: "Access",
  hours: "Hours",
  founded: "Founded",
  author: "Author",
  source: "Source",
  tags: "Themes",
  summaryOnly: "The Discovery plan gives the summary; the whole entry comes with the Pro plan.",
  attribution: "Data: {names}",
  outlinesBy: "Outlines: {names}",
  waiting: "The minute's requests are used up. Continuing in {seconds} s.",
  renewed: "The data have just been updated: the list begins again.",
  unreachable: "The service does not answer.",
  retry: "Try again",
  requestId: "Request {id}",
};

/** @typedef {"fr" | "en"} Language */

/** @returns {Language} */
export function chooseLanguage(/** @type {string | null} */ asked, /** @type {readonly string[]} */ preferred) {
  if (asked === "fr" || asked === "en") return asked;
  return preferred.length === 0 || preferred.some((tag) => tag.toLowerCase().startsWith("fr")) ? "fr" : "en";
}

/** @typedef {ReturnType<typeof speaker>} Speaker */

/** Looks words up in one language, and writes numbers as that language does. */
export function speaker(/** @type {Language} */ language) {
  const words = language === "fr" ? FRENCH : ENGLISH;
  const format = new Intl.NumberFormat(language);
  return {
    language,
    /** @param {Word} word @param {Record<string, string | number>} [values] */
    say(word, values = {}) {
      return words[word].replaceAll(/\{(\w+)\}/g, (_, name) => {
        const value = values[name] ?? "";
        return typeof value === "number" ? format.format(value) : value;
      });
    },
    number: (/** @type {number} */ value, digits = 0) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value),
  };
}

/** The French words, which the page is served with. */
export const SERVED_WORDS = FRENCH;

/** @returns {word is Word} */
export function isWord(/** @type {string | undefined} */ word) {
  return word !== undefined && Object.hasOwn(FRENCH, word);
}
