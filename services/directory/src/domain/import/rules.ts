/**
 * All import rules. *Filled*: an empty field from reference data. *Repaired*: rewritten without loss. *Warned*: something
 * was lost or is doubtful. *Rejected*: not imported. Lossless normalization of every value (spaces, phone digits, date format, six
 * decimals) is not reported.
 */
export type RuleAction = "filled" | "repaired" | "rejected" | "warned";

interface Rule {
  readonly action: RuleAction;
  readonly says: string;
}

export const RULES = {
  encoding_mixed: { action: "warned", says: "lines in another encoding than the file's; decoded on their own" },
  row_unreadable: { action: "rejected", says: "the row cannot be read" },
  cells_too_many: { action: "rejected", says: "more cells than the header has columns" },
  cells_missing: { action: "warned", says: "fewer cells than the header has columns; missing ones left empty" },
  column_unseen: { action: "warned", says: "mapped column that no row has shown so far" },
  id_from_content: { action: "filled", says: "no id column; ids made from these columns" },
  columns_left_out: { action: "warned", says: "columns that the guessed mapping does not use" },
  id_missing: { action: "rejected", says: "no id" },
  id_repeated: { action: "warned", says: "id repeated in this import; the last row wins" },
  type_unknown: { action: "rejected", says: "type not covered by the mapping" },
  title_missing: { action: "rejected", says: "no title" },
  slug_numbered: { action: "warned", says: "title used by another item; number added to the slug" },
  commune_code_restored: { action: "repaired", says: "INSEE code of a commune restored to 5 characters" },
  commune_from_code: { action: "filled", says: "name of the commune from its INSEE code" },
  commune_from_name: { action: "filled", says: "INSEE code of the commune from its name" },
  commune_from_postal_code: { action: "filled", says: "commune from a postal code of a single commune" },
  commune_spelled: { action: "repaired", says: "name of a commune in its usual spelling" },
  commune_present: { action: "repaired", says: "former commune or arrondissement; the present commune taken" },
  commune_name_differs: { action: "warned", says: "name differs from that of the INSEE code; the code's taken" },
  commune_ambiguous: { action: "warned", says: "several communes have this name; no INSEE code" },
  commune_unknown: { action: "warned", says: "not in the list of communes; kept" },
  commune_code_unreadable: { action: "warned", says: "not an INSEE code of a commune; left out" },
  postal_code_restored: { action: "repaired", says: "postal code restored to 5 digits" },
  departement_code_restored: { action: "repaired", says: "code of a département restored" },
  departement_from_commune: { action: "filled", says: "département from the commune" },
  departement_from_postal_code: { action: "filled", says: "département from the postal code" },
  departement_from_location: { action: "filled", says: "département from the coordinates" },
  departement_unknown: { action: "warned", says: "unknown département" },
  departement_missing: { action: "warned", says: "département missing and not derivable" },
  departement_contradicts_commune: {
    action: "warned",
    says: "département differs from that of the commune's code; kept",
  },
  region_code_restored: { action: "repaired", says: "code of a région restored to 2 digits" },
  region_former_name: { action: "repaired", says: "former or short name of a région" },
  region_from_departement: { action: "repaired", says: "région taken from the département instead" },
  region_unknown: { action: "warned", says: "unknown région" },
  location_converted: { action: "repaired", says: "projected coordinates converted to degrees" },
  location_comma_decimal: { action: "repaired", says: "decimal comma in a coordinate" },
  location_degrees: { action: "repaired", says: "coordinate written in degrees or with N/S/E/W" },
  location_swapped: { action: "repaired", says: "latitude and longitude were swapped" },
  location_swap_unsure: {
    action: "rejected",
    says: "latitude and longitude look swapped; no département confirms it",
  },
  location_zero: { action: "rejected", says: "coordinates 0,0" },
  location_outside_globe: { action: "rejected", says: "coordinates outside the globe" },
  location_projected: { action: "rejected", says: "projected coordinates in meters, not degrees" },
  location_unreadable: { action: "rejected", says: "coordinates are not numbers" },
  location_incomplete: { action: "rejected", says: "only one of latitude and longitude" },
  location_outside_departement: { action: "warned", says: "coordinates outside the département; kept" },
  geometry_not_point: { action: "warned", says: "geometry is not a point; left out" },
  html_stripped: { action: "repaired", says: "HTML tags stripped" },
  entities_decoded: { action: "repaired", says: "HTML entities decoded" },
  control_characters_removed: { action: "repaired", says: "control characters removed" },
  bytes_undecodable: { action: "warned", says: "bytes invalid in the file's encoding" },
  text_shortened: { action: "warned", says: "text longer than the field; cut at a word" },
  url_scheme_added: { action: "repaired", says: "http:// added to an address" },
  url_first_kept: { action: "warned", says: "several addresses in one cell; the first one kept" },
  url_dropped: { action: "warned", says: "not an http(s) address; left out" },
  email_dropped: { action: "warned", says: "not an email address; left out" },
  phone_as_imported: { action: "warned", says: "telephone number not recognized; kept unchanged" },
  siret_restored: { action: "repaired", says: "SIRET restored to 14 digits" },
  siret_dropped: { action: "warned", says: "not a valid SIRET; left out" },
  date_dropped: { action: "warned", says: "date not recognized; left out" },
  tags_too_many: { action: "warned", says: "more than 20 tags; the rest left out" },
  tag_unreadable: { action: "warned", says: "tag without letter or digit; left out" },
  tag_spellings_merged: { action: "repaired", says: "several spellings of one tag; the most frequent one kept" },
  list_too_long: { action: "warned", says: "more than 20 entries; the rest left out" },
  reference_unreadable: { action: "warned", says: "item reference is not a slug; left out" },
  extra_unreadable: { action: "warned", says: "not of the mapped type; kept as text" },
  extra_too_large: { action: "warned", says: "further columns over 8 KiB; the rest left out" },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;

export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name);
}

export const RULE_NAMES: readonly RuleName[] = Object.keys(RULES).filter(isRuleName);

export interface RuleEvent {
  readonly rule: RuleName;
  readonly action: RuleAction;
  readonly line: number;
  readonly column: string | null;
  /**
   * The imported value and its replacement; null = nothing. Truncated; never an email address or a telephone number.
   */
  readonly value: string | null;
  readonly result: string | null;
}

const VALUE_CHARACTERS_MAX = 120;

export interface Notes {
  readonly events: readonly RuleEvent[];
  /** `action` overrides the rule's own, for options. */
  note(
    rule: RuleName,
    what: { column?: string | null; value?: string | null; result?: string | null; action?: RuleAction },
  ): void;
  readonly repaired: boolean;
  readonly rejected: boolean;
}

const NO_EVENTS: readonly RuleEvent[] = [];

export function notesOf(line: number): Notes {
  let events: RuleEvent[] | null = null;
  return {
    get events() {
      return events ?? NO_EVENTS;
    },
    note(rule, { column = null, value = null, result = null, action = RULES[rule].action }) {
      (events ??= []).push({ rule, action, line, column, value: truncated(value), result: truncated(result) });
    },
    get repaired() {
      return events?.some((event) => event.action === "repaired") ?? false;
    },
    get rejected() {
      return events?.some((event) => event.action === "rejected") ?? false;
    },
  };
}

function truncated(value: string | null): string | null {
  return value === null || value.length <= VALUE_CHARACTERS_MAX
    ? value
    : `${value.slice(0, VALUE_CHARACTERS_MAX - 1)}…`;
}
