/**
 * Derives method names from endpoint IDs: the first word is the method, the rest the resource. A resource with a list
 * endpoint gets the plural name: `getRepo` and `listRepos` become `repos.get` and `repos.list`. One-word IDs are
 * methods of the service itself. Each function here has a type that computes the same name.
 */

export interface MethodName {
  /** Namespaces before the method: none, a resource, or `admin` and a resource. */
  readonly path: readonly string[];
  readonly method: string;
}

/** IDs whose first word is not a verb. */
const WHOLE = ["signInOnce", "workerStatus"] as const;
type Whole = (typeof WHOLE)[number];

const ALIASES = { start: "create" } as const;
type Aliases = typeof ALIASES;

/** Names of all IDs of a service. */
export function methodNames(ids: readonly string[]): ReadonlyMap<string, MethodName> {
  const nouns = new Set(ids.map((id) => wordsOf(id).noun));
  return new Map(ids.map((id) => [id, methodName(id, nouns)]));
}

function methodName(id: string, nouns: ReadonlySet<string>): MethodName {
  const { isAdmin, verb, noun } = wordsOf(id);
  const start = isAdmin ? ["admin"] : [];
  if (noun === "") return { path: start, method: verb };
  const resource = nouns.has(pluralOf(noun)) ? pluralOf(noun) : noun;
  const isList = verb === "get" && [...nouns].some((other) => pluralOf(other) === noun);
  const alias = Object.entries(ALIASES).find(([word]) => word === verb)?.[1];
  return { path: [...start, uncapitalized(resource)], method: isList ? "list" : (alias ?? verb) };
}

function wordsOf(id: string): { readonly isAdmin: boolean; readonly verb: string; readonly noun: string } {
  if (WHOLE.some((whole) => whole === id)) return { isAdmin: false, verb: id, noun: "" };
  const rest = /^admin(?=[A-Z])/.test(id) ? uncapitalized(id.slice("admin".length)) : id;
  const [, verb = rest, noun = ""] = /^([a-z]+)([A-Z].*)$/.exec(rest) ?? [];
  return { isAdmin: rest !== id, verb, noun };
}

function pluralOf(noun: string): string {
  return noun.endsWith("y") && !noun.endsWith("ey") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The ID without `admin`. */
type Rest<Id extends string> = Id extends `admin${infer R}` ? (R extends Capitalize<R> ? Uncapitalize<R> : Id) : Id;
type IsAdmin<Id extends string> = Rest<Id> extends Id ? false : true;

/** Splits at the first capital: `[verb, noun]`. */
type Split<Text extends string, Verb extends string = ""> = Text extends `${infer First}${infer Others}`
  ? First extends Lowercase<First>
    ? Split<Others, `${Verb}${First}`>
    : [Verb, Text]
  : [Verb, ""];
type Words<Id extends string> = Id extends Whole ? [Id, ""] : Split<Rest<Id>>;
type VerbOf<Id extends string> = Words<Id>[0];
type NounOf<Id extends string> = Id extends string ? Words<Id>[1] : never;

type Plural<Noun extends string> = Noun extends `${string}ey`
  ? `${Noun}s`
  : Noun extends `${infer Stem}y`
    ? `${Stem}ies`
    : `${Noun}s`;
type PluralsOf<Noun extends string> = Noun extends string ? Plural<Noun> : never;

/** The resource of an ID, or an empty string. `Ids` are all IDs of the service. */
export type ResourceOf<Id extends string, Ids extends string> = Id extends string
  ? Uncapitalize<Plural<NounOf<Id>> extends NounOf<Ids> ? Plural<NounOf<Id>> : NounOf<Id>>
  : never;

export type MethodOf<Id extends string, Ids extends string> =
  VerbOf<Id> extends "get"
    ? NounOf<Id> extends PluralsOf<NounOf<Ids>>
      ? "list"
      : "get"
    : VerbOf<Id> extends keyof Aliases
      ? Aliases[VerbOf<Id>]
      : VerbOf<Id>;

export type AdminId<Ids extends string> = Ids extends string ? (IsAdmin<Ids> extends true ? Ids : never) : never;
