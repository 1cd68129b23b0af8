import type { Home, PageLink } from "@triptych/server";
import type { Language } from "../domain/language.ts";

export const PAGES: Readonly<Record<Language, readonly PageLink[]>> = {
  en: [{ path: "/carte", label: "Map", about: "Search items on a map, with filters and a list." }],
  fr: [{ path: "/carte", label: "Carte", about: "Recherche sur une carte, avec des filtres et une liste." }],
};

const SAY: Readonly<Record<Language, readonly [describe: string, list: string, search: string]>> = {
  en: [
    "Describe the API; no key required.",
    "List the places of a région. credentials.json in the data folder contains a demo key.",
    "Search text, ignoring accents and word endings.",
  ],
  fr: [
    "Décrire l'API, sans clé.",
    "Lister les lieux d'une région. Le fichier credentials.json du dossier de données contient une clé d'essai.",
    "Rechercher du texte, sans tenir compte des accents ni des terminaisons.",
  ],
};

function homeIn(language: Language): Home {
  const [describe, list, search] = SAY[language];
  const withKey = 'curl -H "Authorization: Bearer $DIRECTORY_KEY"';
  return {
    links: PAGES[language],
    commands: (url) => [
      { say: describe, run: `curl ${language === "fr" ? '-H "Accept-Language: fr" ' : ""}"${url}/api"` },
      { say: list, run: `${withKey} "${url}/api/items?type=place&region=bretagne"` },
      { say: search, run: `${withKey} "${url}/api/items?q=cathedrales%20gothiq"` },
    ],
  };
}

export const directoryHome = homeIn("en");
export const frenchHome = homeIn("fr");
