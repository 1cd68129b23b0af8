/** Texts of the item pages. */
import type { ItemType } from "@triptych/contracts";
import type { Language } from "../domain/language.ts";

export const TYPE_NAMES: Readonly<Record<Language, Readonly<Record<ItemType, string>>>> = {
  fr: { actor: "Acteur", place: "Lieu", article: "Article" },
  en: { actor: "Actor", place: "Place", article: "Article" },
};

const fr = {
  siteName: "Annuaire Triptych",
  map: "Carte",
  docs: "Documentation",
  related: "Pages associées",
  onMap: "Voir sur la carte",
  sameCommune: (nom: string) => `Autres résultats : ${nom}`,
  searchMap: "Rechercher sur la carte",
  api: "Dans l'API :",
  moreFields: "Afficher tous les champs avec votre clé",
  key: "Clé d'API",
  useKey: "Utiliser",
  forgetKey: "Retirer la clé",
  keyWhy:
    "La page appelle l'API avec votre clé et affiche les champs de votre plan. Votre clé reste dans cet onglet et n'entre jamais dans l'adresse.",
  refused: "Cette clé n'est pas acceptée.",
  failed: "L'API n'a pas répondu. Réessayez.",
  unknown: {
    title: "Fiche introuvable",
    text: "Aucun élément n'a cette adresse. Vérifiez-la, ou recherchez l'élément.",
  },
  gone: { title: "Fiche supprimée", text: "Cet élément ne figure plus dans l'annuaire." },
  fields: {
    commune: "Commune",
    departement: "Département",
    region: "Région",
    tags: "Thèmes",
    updated: "Mis à jour",
    address: "Adresse",
    website: "Site web",
    email: "Courriel",
    phone: "Téléphone",
    opening_hours: "Horaires",
    access: "Accès",
    siret: "SIRET",
    legal_form: "Forme juridique",
    founded: "Création",
    author: "Auteur",
    published_at: "Publication",
    location: "Coordonnées",
    licence: "Licence",
    sources: "Sources",
  },
};

export type ItemPageTexts = typeof fr;

const en: ItemPageTexts = {
  siteName: "Triptych directory",
  map: "Map",
  docs: "Documentation",
  related: "Related pages",
  onMap: "Show on the map",
  sameCommune: (nom) => `More results: ${nom}`,
  searchMap: "Search on the map",
  api: "In the API:",
  moreFields: "Show all fields with your key",
  key: "API key",
  useKey: "Use key",
  forgetKey: "Remove the key",
  keyWhy:
    "The page calls the API with your key and shows the fields of your plan. The key stays in this tab and is never put in the URL.",
  refused: "This key is not accepted.",
  failed: "The API did not respond. Try again.",
  unknown: { title: "Item not found", text: "No item has this address. Check it, or search for the item." },
  gone: { title: "Item removed", text: "This item is no longer in the directory." },
  fields: {
    commune: "Commune",
    departement: "Département",
    region: "Région",
    tags: "Themes",
    updated: "Updated",
    address: "Address",
    website: "Website",
    email: "Email",
    phone: "Phone",
    opening_hours: "Opening hours",
    access: "Access",
    siret: "SIRET",
    legal_form: "Legal form",
    founded: "Founded",
    author: "Author",
    published_at: "Published",
    location: "Coordinates",
    licence: "License",
    sources: "Sources",
  },
};

export const ITEM_PAGE_TEXTS: Readonly<Record<Language, ItemPageTexts>> = { fr, en };
