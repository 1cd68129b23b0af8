/** Translates facet labels. Names of places and tags are data and are not translated. */
import type { ItemType } from "@triptych/contracts";
import { acceptedLanguage } from "@triptych/server";
import type { FastifyRequest } from "fastify";
import type { Facets } from "../domain/catalogue.ts";

export type Language = "fr" | "en";

const ENGLISH_TYPES: Readonly<Record<ItemType, string>> = { actor: "Actor", place: "Place", article: "Article" };

export function languageOf(request: Pick<FastifyRequest, "headers">): Language {
  return acceptedLanguage<Language>(request, ["fr", "en"]);
}

export function labelFacets(facets: Facets, language: Language): Facets {
  if (language === "fr" || facets.type === undefined) return facets;
  const labels = new Map<string, string>(Object.entries(ENGLISH_TYPES));
  return { ...facets, type: facets.type.map((one) => ({ ...one, label: labels.get(one.value) ?? one.label })) };
}
