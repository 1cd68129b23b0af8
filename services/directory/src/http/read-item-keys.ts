/** Parses `commune`, `insee`, `code_postal` and `source`. Names are compared with those of the published version. */
import { nearest, type ValidationErrors } from "@triptych/server";
import type { Catalogue, Commune, Filters } from "../domain/catalogue.ts";
import { sourceSlug } from "../domain/filter-keys.ts";
import { departementOfCommune } from "../domain/reference.ts";
import { checkExclusions, isExclusion, sortedSet } from "./read-exclusions.ts";
import type { ItemsQuery } from "./items-query.ts";

export type ItemKeys = Pick<Filters, "communes" | "insee" | "postalCodes" | "sources" | "excludedSources">;

export interface ReadItemKeys {
  readonly filters: ItemKeys;
  readonly communes: readonly Commune[];
}

export interface KeysContext {
  readonly errors: ValidationErrors;
  /** Called only for names. */
  readonly catalogue: () => Catalogue;
}

export async function readItemKeys(query: ItemsQuery, context: KeysContext): Promise<ReadItemKeys> {
  const communes = query.commune === undefined ? [] : await readCommune(query.commune, context);
  const { sources, excludedSources } = await readSources(query.source ?? [], context);
  return {
    communes,
    filters: {
      communes: communes.map(({ slug }) => slug),
      insee: sortedSet((query.insee ?? []).map((code) => code.toUpperCase())),
      postalCodes: sortedSet(query.code_postal ?? []),
      sources,
      excludedSources,
    },
  };
}

/** The filters as parsed. `commune_codes` tells namesakes apart: those in the filtered départements. */
export function echoItemKeys({ filters, communes }: ReadItemKeys, departements: readonly (readonly string[])[]) {
  const { insee, postalCodes, sources, excludedSources } = filters;
  const isIncluded = (code: string) =>
    departements.every((codes) => codes.length === 0 || codes.includes(departementOfCommune(code)?.code ?? ""));
  const codes = communes.flatMap((commune) => commune.codes).filter(isIncluded);
  return {
    ...(communes.length > 0 && { commune: filters.communes, commune_codes: codes.slice(0, ECHOED_CODES_MAX) }),
    ...(insee.length > 0 && { insee }),
    ...(postalCodes.length > 0 && { code_postal: postalCodes }),
    ...(sources.length + excludedSources.length > 0 && {
      source: [...sources, ...excludedSources.map((slug) => `-${slug}`)],
    }),
  };
}

const ECHOED_CODES_MAX = 100;

async function readCommune(name: string, { errors, catalogue }: KeysContext): Promise<readonly Commune[]> {
  const { found, suggestions } = isExclusion(name)
    ? { found: [], suggestions: [] }
    : await catalogue().findCommunes(name);
  if (found.length === 0) addUnknown(errors, { name: "commune", values: [name], suggestions });
  return found;
}

async function readSources(
  values: readonly string[],
  { errors, catalogue }: KeysContext,
): Promise<Pick<ItemKeys, "sources" | "excludedSources">> {
  if (values.length === 0) return { sources: [], excludedSources: [] };
  checkExclusions("source", values, errors);
  const known = (await catalogue().meta()).sources.map(({ slug }) => slug);
  const slugs = values.map((value) => ({
    value,
    excluded: isExclusion(value),
    slug: sourceSlug(isExclusion(value) ? value.slice(1) : value),
  }));
  const unknown = slugs.filter(({ slug }) => !known.includes(slug));
  if (unknown.length > 0 && !errors.has("?source")) {
    const near = unknown.flatMap(({ slug, excluded }) =>
      nearest(slug, known, 3).map((candidate) => (excluded ? `-${candidate}` : candidate)),
    );
    addUnknown(errors, { name: "source", values: unknown.map(({ value }) => value), suggestions: near.slice(0, 3) });
  }
  return {
    sources: sortedSet(slugs.filter(({ excluded }) => !excluded).map(({ slug }) => slug)),
    excludedSources: sortedSet(slugs.filter(({ excluded }) => excluded).map(({ slug }) => slug)),
  };
}

interface UnknownValues {
  readonly name: "commune" | "source";
  readonly values: readonly string[];
  readonly suggestions: readonly string[];
}

function addUnknown(errors: ValidationErrors, { name, values, suggestions }: UnknownValues): void {
  const quoted = values
    .slice(0, 5)
    .map((value) => `"${value.slice(0, 60)}"`)
    .join(", ");
  const hint =
    suggestions.length > 0
      ? ` Did you mean ${suggestions.join(", ")}?`
      : ` No item has it; \`limit=0&facets=${name}\` lists the most frequent values.`;
  errors.add({
    path: `?${name}`,
    reason: "unknown_value",
    message: `Unknown \`${name}\`: ${quoted}.${hint}`,
    suggestions: [...suggestions],
  });
}
