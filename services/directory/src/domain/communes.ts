/**
 * The communes of France: present ones, former ones (associated, delegated) and the arrondissements of Paris, Lyon and
 * Marseille. Read on first use: only imports and searches by commune need the list.
 */
import { brotliDecompressSync } from "node:zlib";
import shipped from "./communes.json" with { type: "json" };
import { departementOfCommune, foldName } from "./reference.ts";

export interface Commune {
  readonly code: string;
  readonly nom: string;
  /** Empty for former communes, which have the postal codes of the present one. */
  readonly postalCodes: readonly string[];
  /** Code of the present commune, for a former one and an arrondissement; null for a present commune. */
  readonly within: string | null;
}

interface CommuneList {
  readonly all: readonly Commune[];
  readonly byCode: ReadonlyMap<string, Commune>;
  readonly byPostalCode: ReadonlyMap<string, readonly Commune[]>;
}

const NONE: readonly Commune[] = [];
let list: CommuneList | undefined;
/** Built separately from the list, because folding 37,000 names takes most of the time. */
let ofDepartement: ReadonlyMap<string, readonly Commune[]> | undefined;
let names: ReadonlyMap<string, readonly Commune[]> | undefined;

/** Finds by present or earlier INSEE code. */
export function communeByCode(code: string): Commune | undefined {
  return communes().byCode.get(code);
}

/** All namesakes, present communes first, whatever the spelling: `ST MALO`, `Havre (Le)`, `Chalons s/ Marne`. */
export function communesByName(name: string): readonly Commune[] {
  names ??= namesOf(communes().all);
  return names.get(foldCommuneName(name)) ?? NONE;
}

/** Present communes and arrondissements served by a postal code. */
export function communesByPostalCode(postalCode: string): readonly Commune[] {
  return communes().byPostalCode.get(postalCode) ?? NONE;
}

/** Present communes only. */
export function communesOfDepartement(code: string): readonly Commune[] {
  ofDepartement ??= Map.groupBy(
    communes().all.filter(({ within }) => within === null),
    (commune) => departementOfCommune(commune.code)?.code ?? "",
  );
  return ofDepartement.get(code) ?? NONE;
}

/** The commune itself, or the present one of a former commune or an arrondissement. */
export function presentCommune(commune: Commune): Commune {
  return commune.within === null ? commune : (communeByCode(commune.within) ?? commune);
}

const ABBREVIATIONS: readonly (readonly [RegExp, string])[] = [
  [/\bste\b\.?/g, "sainte"],
  [/\bst\b\.?/g, "saint"],
  [/\bs\/s\b/g, "sous"],
  [/\bs\/ ?/g, "sur "],
  [/\//g, " sur "],
];

/** Comparable form: without case, accents and separators, abbreviations written out, a trailing article in front. */
function foldCommuneName(name: string): string {
  let text = name
    .normalize("NFC")
    .toLowerCase()
    .replace(/\s+c[eé]dex\b.*$/, "")
    .replaceAll(/[‐-―]/g, "-")
    .trim();
  const article = /^(.*\S)\s*(?:\(\s*(l[ea]s?|l['’])\s*\)|,\s*(l[ea]s?|l['’]))$/.exec(text);
  if (article !== null) text = `${article[2] ?? article[3] ?? ""} ${article[1] ?? ""}`;
  for (const [pattern, full] of ABBREVIATIONS) text = text.replaceAll(pattern, full);
  return foldName(text);
}

function communes(): CommuneList {
  list ??= readCommunes();
  return list;
}

function readCommunes(): CommuneList {
  const text = brotliDecompressSync(Buffer.from(shipped.brotli, "base64")).toString("utf8");
  const all: Commune[] = [];
  const byCode = new Map<string, Commune>();
  const byPostalCode = new Map<string, Commune[]>();
  const earlier: [string, Commune][] = [];
  for (const line of text.split("\n")) {
    const [code = "", nom = "", postalCodes = "", within = "", earlierCodes = ""] = line.split("\t");
    const commune = { code, nom, postalCodes: codesIn(postalCodes), within: within || null };
    all.push(commune);
    // A delegated commune may have the code of its present one, which comes first.
    if (!byCode.has(code)) byCode.set(code, commune);
    for (const postalCode of commune.postalCodes) add(byPostalCode, postalCode, commune);
    for (const earlierCode of codesIn(earlierCodes)) earlier.push([earlierCode, commune]);
  }
  for (const [code, commune] of earlier) if (!byCode.has(code)) byCode.set(code, commune);
  return { all, byCode, byPostalCode };
}

function namesOf(all: readonly Commune[]): ReadonlyMap<string, readonly Commune[]> {
  const presentFirst = all.toSorted((a, b) => Number(a.within !== null) - Number(b.within !== null));
  return Map.groupBy(presentFirst, ({ nom }) => foldCommuneName(nom));
}

function codesIn(text: string): readonly string[] {
  return text === "" ? [] : text.split(",");
}

function add(map: Map<string, Commune[]>, key: string, commune: Commune): void {
  const before = map.get(key);
  if (before === undefined) map.set(key, [commune]);
  else before.push(commune);
}
