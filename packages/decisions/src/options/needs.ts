/**
 * Determines which values the parameters of an option take, and which of them a request states. Values are counted by
 * kind rather than assigned: two dates in a request fill any two date parameters.
 */
import {
  CHOICE,
  DATE,
  ADDRESS,
  FLAG,
  KIND_COUNT,
  kindOfParameter,
  LOCATION,
  NUMBER,
  TEXT,
  type OptionParameter,
} from "./parameters.ts";
import type { QueryTerms } from "./query-terms.ts";
import type { Term } from "./term-table.ts";

export interface Needs {
  readonly count: number;
  /** Number of required parameters; 0 if no parameter states whether it is required. */
  readonly required: number;
  /** Whether any parameter states if it is required. */
  readonly isKnown: boolean;
  /** Whether the texts of the parameters contain only names. */
  readonly isNamed: boolean;
  /** For each kind, the number of parameters that need a value: the required ones, or all if none states it. */
  readonly open: Uint8Array;
  readonly byKind: Uint8Array;
  /** The terms of the allowed values, for each parameter that lists some. */
  readonly choices: readonly { readonly terms: readonly Term[]; readonly isRequired: boolean }[];
}

export function needsOf(parameters: readonly OptionParameter[], termsOf: (text: string) => readonly Term[]): Needs {
  const open = new Uint8Array(KIND_COUNT);
  const byKind = new Uint8Array(KIND_COUNT);
  const choices: { terms: readonly Term[]; isRequired: boolean }[] = [];
  const isKnown = parameters.some(({ required }) => required !== null);
  const isNamed = parameters.length > 0 && parameters.every(({ text }) => !/\s/.test(text));
  let required = 0;
  for (const parameter of parameters) {
    const kind = kindOfParameter(parameter);
    byKind[kind]++;
    const isRequired = parameter.required === true;
    if (isRequired) required++;
    if (isRequired || !isKnown) open[kind]++;
    if (kind === CHOICE) choices.push({ terms: termsOf(parameter.values.join("\n")), isRequired });
  }
  return { count: parameters.length, required, isKnown, isNamed, open, byKind, choices };
}

export interface FilledNeeds {
  /** For each kind, the number of open parameters without a value in the request. */
  readonly missing: Float64Array;
  readonly total: number;
  /** Number of parameters for which the request names an allowed value. */
  readonly named: number;
  /** Number of kinds of values in the request that no parameter takes. */
  readonly unused: number;
}

/** `others`: the number of rare words in the request that may be values. The result is valid until the next call. */
export function fillNeeds({ open, byKind, choices }: Needs, query: QueryTerms, others: number): FilledNeeds {
  const { numbers, dates, addresses, quotations, identifiers } = query.stated;
  const named = choices.filter(({ terms }) => terms.some((term) => query.stems.indexOf(term) >= 0));
  const namedRequired = named.filter(({ isRequired }) => isRequired).length;
  missing[NUMBER] = shortage(open[NUMBER], numbers);
  missing[DATE] = shortage(open[DATE], Math.max(dates, numbers > open[NUMBER] ? 1 : 0));
  missing[ADDRESS] = shortage(open[ADDRESS], addresses);
  missing[LOCATION] = shortage(open[LOCATION], query.names + others);
  missing[CHOICE] = shortage(open[CHOICE], namedRequired);
  missing[FLAG] = 0;
  const leftNumbers = Math.max(0, numbers - open[NUMBER]);
  missing[TEXT] = shortage(open[TEXT], query.names + quotations + identifiers + others + addresses + leftNumbers);
  let total = 0;
  for (const count of missing) total += count;
  const takesNumbers = byKind[NUMBER] + byKind[DATE] + byKind[TEXT] + byKind[CHOICE] > 0;
  const unused =
    (numbers > 0 && !takesNumbers ? 1 : 0) +
    (dates > 0 && byKind[DATE] + byKind[TEXT] === 0 ? 1 : 0) +
    (addresses > 0 && byKind[ADDRESS] + byKind[TEXT] === 0 ? 1 : 0);
  return { missing, total, named: named.length, unused };
}

const missing = new Float64Array(KIND_COUNT);

function shortage(needed: number, stated: number): number {
  return Math.max(0, needed - stated);
}
