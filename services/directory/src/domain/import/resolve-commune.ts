/**
 * The commune of a row in the official list, from its INSEE code, else its name, else a postal code of a single commune.
 * Postal code and département distinguish namesakes. Former communes and arrondissements become the present one.
 */
import {
  communeByCode,
  communesByName,
  communesByPostalCode,
  communesOfDepartement,
  presentCommune,
  type Commune,
} from "../communes.ts";
import { departementOfCommune, foldName, nearestName, type Departement } from "../reference.ts";
import type { RuleName } from "./rules.ts";
import { usualCapitals } from "./usual-capitals.ts";

export interface WrittenCommune {
  readonly code: string | null;
  readonly name: string;
  /** Five digits, or null. */
  readonly postalCode: string | null;
  readonly departement: Departement | null;
}

export interface ResolvedCommune {
  readonly commune: { readonly code: string | null; readonly nom: string | null } | null;
  readonly remarks: readonly Remark[];
}

interface Remark {
  readonly rule: RuleName;
  readonly value: string;
  readonly result: string | null;
}

/** Most rows of a file repeat a few thousand communes. */
const CACHED_MAX = 20_000;
const cache = new Map<string, ResolvedCommune>();

export function resolveCommune(written: WrittenCommune): ResolvedCommune {
  const { code, name, postalCode, departement } = written;
  const key = `${code ?? ""}\t${name}\t${postalCode ?? ""}\t${departement?.code ?? ""}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  if (cache.size >= CACHED_MAX) cache.clear();
  const resolved = resolve({ ...written, name: name.trim() });
  cache.set(key, resolved);
  return resolved;
}

function resolve(written: WrittenCommune): ResolvedCommune {
  const { code, name } = written;
  const listed = code === null ? undefined : communeByCode(code);
  if (listed !== undefined) return fromCode(code ?? "", name, listed);
  const found = name === "" ? byPostalCode(written) : byName(written);
  if (found !== null) return found;
  if (code === null && name === "") return { commune: null, remarks: [] };
  const nom = usualCapitals(townIn(name));
  const remarks: Remark[] = [{ rule: unresolvedRule(written), value: name === "" ? (code ?? "") : name, result: null }];
  if (nom !== name) remarks.push({ rule: "commune_spelled", value: name, result: nom });
  return { commune: { code, nom: nom || null }, remarks };
}

function unresolvedRule({ name, code }: WrittenCommune): RuleName {
  return code === null && communesByName(townIn(name)).length > 1 ? "commune_ambiguous" : "commune_unknown";
}

function fromCode(code: string, name: string, listed: Commune): ResolvedCommune {
  const present = presentCommune(listed);
  if (present.code !== code)
    return take(present, { rule: "commune_present", value: `${code} ${name || listed.nom}`, result: labelOf(present) });
  if (name === "") return take(present, { rule: "commune_from_code", value: code, result: present.nom });
  if (name === present.nom) return take(present);
  const isSame = communesByName(townIn(name)).some((namesake) => presentCommune(namesake) === present);
  return take(present, { rule: isSame ? "commune_spelled" : "commune_name_differs", value: name, result: present.nom });
}

function byName(written: WrittenCommune): ResolvedCommune | null {
  const name = townIn(written.name);
  const listed = theCommune(communesByName(name), written);
  if (listed !== null) {
    const present = presentCommune(listed);
    const found: Remark = { rule: "commune_from_name", value: written.name, result: labelOf(present) };
    if (present !== listed)
      return take(present, found, { rule: "commune_present", value: written.name, result: labelOf(present) });
    const spelled: Remark = { rule: "commune_spelled", value: written.name, result: present.nom };
    return present.nom === written.name ? take(present, found) : take(present, found, spelled);
  }
  return nearPostalCode(written, name) ?? byPostalCode(written);
}

/** The one commune that fits; a present commune before a former one of the same name. */
function theCommune(namesakes: readonly Commune[], written: WrittenCommune): Commune | null {
  const [first] = namesakes;
  if (first === undefined) return null;
  const { postalCode, departement } = written;
  const served = namesakes.filter((commune) => hasPostalCode(commune, postalCode));
  if (served.length > 0) return only(served);
  const area = departement?.code ?? departementOfPostalCode(postalCode)?.code;
  if (area === undefined) return only(namesakes);
  return only(namesakes.filter(({ code }) => departementOfCommune(code)?.code === area));
}

function only(communes: readonly Commune[]): Commune | null {
  const present = communes.filter(({ within }) => within === null);
  if (present.length === 1) return present[0];
  const distinct = new Set(communes.map(presentCommune));
  return present.length === 0 && distinct.size === 1 ? communes[0] : null;
}

function hasPostalCode(commune: Commune, postalCode: string | null): boolean {
  return postalCode !== null && presentCommune(commune).postalCodes.includes(postalCode);
}

/** A misspelt name, or a longer or shorter form of it (`Berck-sur-Mer` for Berck), in a postal code. */
function nearPostalCode(written: WrittenCommune, name: string): ResolvedCommune | null {
  const { name: value, postalCode } = written;
  const served = servedBy(postalCode);
  const near = nearestName(
    name,
    served.map(({ nom }) => nom),
  );
  const found =
    served.find(({ nom }) => nom === near) ?? (served.length > 0 ? alike(served, name) : longerName(written, name));
  if (found === undefined) return null;
  return take(
    found,
    { rule: "commune_from_name", value, result: labelOf(found) },
    { rule: "commune_spelled", value, result: found.nom },
  );
}

function alike(communes: readonly Commune[], name: string): Commune | undefined {
  const found = communes.filter(({ nom }) => beginsAlike(wordsOf(nom), wordsOf(name)));
  return found.length === 1 ? found[0] : undefined;
}

/** The short form of a name (`Évry` for Évry-Courcouronnes, `Pont-de-Claix` for Le Pont-de-Claix) in a département. */
function longerName({ departement }: WrittenCommune, name: string): Commune | undefined {
  if (departement === null || foldName(name).length < 4) return undefined;
  const words = wordsOf(name);
  const longer = communesOfDepartement(departement.code).filter(({ nom }) => wordsOf(nom).length > words.length);
  const withArticle = longer.filter(
    ({ nom }) => foldName(nom.replace(/^(?:le|la|les) |^l['’]/i, "")) === foldName(name),
  );
  return alike(longer, name) ?? (withArticle.length === 1 ? withArticle[0] : undefined);
}

function wordsOf(name: string): string[] {
  return name.split(/[^\p{L}\p{N}]+/u).map(foldName);
}

function beginsAlike(one: readonly string[], other: readonly string[]): boolean {
  const shorter = Math.min(one.length, other.length);
  return one.slice(0, shorter).join(" ") === other.slice(0, shorter).join(" ");
}

function byPostalCode({ name, postalCode, departement }: WrittenCommune): ResolvedCommune | null {
  const [found, second] = servedBy(postalCode);
  if (found === undefined || second !== undefined || postalCode === null) return null;
  if (departement !== null && departementOfCommune(found.code) !== departement) return null;
  const value = name === "" ? postalCode : `${postalCode} ${name}`;
  return take(found, { rule: "commune_from_postal_code", value, result: labelOf(found) });
}

function servedBy(postalCode: string | null): Commune[] {
  return postalCode === null ? [] : [...new Set(communesByPostalCode(postalCode).map(presentCommune))];
}

/** First digits that are not those of the INSEE code. La Réunion has 977 and 978 for large receivers (`CEDEX`). */
const POSTAL_AREAS: readonly (readonly [RegExp, string])[] = [
  [/^20[01]/, "2A"],
  [/^20[26]/, "2B"],
  [/^97[78]/, "974"],
];

/** The département that all communes of a postal code are in; else the one that its digits name. */
export function departementOfPostalCode(postalCode: string | null): Departement | undefined {
  if (postalCode === null) return undefined;
  const areas = new Set(servedBy(postalCode).map(({ code }) => departementOfCommune(code)));
  if (areas.size === 1) return [...areas][0];
  const code = POSTAL_AREAS.find(([digits]) => digits.test(postalCode))?.[1] ?? postalCode;
  return departementOfCommune(code.padEnd(5, "0"));
}

/**
 * A commune in a cell with more than its name. `Paris 12e`, `LYON 3EME ARRONDISSEMENT` and `Marseille 06` are the whole
 * city. A postal code before the name and `CEDEX` after it are left out.
 */
export function townIn(name: string): string {
  const bare = name.replace(POSTAL_CODE, "").replace(/\s+cedex\b.*$/i, "");
  return /^(paris|lyon|marseille)[\s,-]*\(?\d{1,2}(?:\b|er|e|eme|ème)/i.exec(bare)?.[1] ?? bare;
}

/** `35400 Saint-Malo`, `35400 / Saint-Malo`. */
const POSTAL_CODE = /^(\d{4,5})[\s/,-]+(?=\p{L})/u;

export function postalCodeBefore(name: string): string | null {
  return POSTAL_CODE.exec(name)?.[1] ?? null;
}

function take({ code, nom }: Commune, ...remarks: Remark[]): ResolvedCommune {
  return { commune: { code, nom }, remarks };
}

function labelOf({ code, nom }: Commune): string {
  return `${nom} (${code})`;
}
