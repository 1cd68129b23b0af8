/**
 * The parameters of an option and the kinds of value that they take. Of a parameter as plain text, only the words are
 * known; a schema also gives the type, the allowed values, and whether a call requires it.
 */

export interface OptionParameter {
  /** The words to compare with the request: a name, or name, description and values together. */
  readonly text: string;
  /** Null if unknown, as for a plain text. */
  readonly required: boolean | null;
  /** JSON type and format, or an empty string. */
  readonly type: string;
  readonly values: readonly string[];
}

export const PARAMETER_KINDS = ["number", "date", "address", "location", "choice", "flag", "text"] as const;
export type ParameterKind = (typeof PARAMETER_KINDS)[number];
export const KIND_COUNT = PARAMETER_KINDS.length;
export const [NUMBER, DATE, ADDRESS, LOCATION, CHOICE, FLAG, TEXT] = PARAMETER_KINDS.keys();

/** A parameter of which only the words are known. */
export function plainParameter(text: string): OptionParameter {
  return { text, required: null, type: "", values: [] };
}

const NUMERIC = /^(?:integer|number|float|double|long)/i;
const BOOLEAN = /^boolean/i;
const DATED = /(?:date|time|day|deadline|month|until|since|heure|jour|mois|quand|when)/i;
const ADDRESSED = /(?:e_?-?mail|url|uri|link|website|phone|telephone|courriel|lien|site)/i;
const LOCATED = /(?:city|location|country|place|address|destination|origin|state|region|ville|lieu|pays|adresse)/i;
const COUNTED =
  /(?:amount|number|count|quantity|num_|size|price|age$|year|length|width|height|radius|rate|percent|limit|max|min|duration|weight|distance|montant|nombre|quantite|prix|taille|duree)/i;
const FLAGGED = /^(?:is|has|include|enable|with|allow|use)_/i;

/** Returns an index in PARAMETER_KINDS. The name is only the first word of the text. */
export function kindOfParameter({ text, type, values }: OptionParameter): number {
  if (values.length > 0) return CHOICE;
  if (BOOLEAN.test(type)) return FLAG;
  const end = text.search(/\s/);
  const name = end < 0 ? text : text.slice(0, end);
  if (NUMERIC.test(type)) return NUMBER;
  if (type === "" && FLAGGED.test(name)) return FLAG;
  if (/date|time/.test(type) || DATED.test(name)) return DATE;
  if (/email|ur[il]/.test(type) || ADDRESSED.test(name)) return ADDRESS;
  if (LOCATED.test(name)) return LOCATION;
  return type === "" && COUNTED.test(name) ? NUMBER : TEXT;
}
