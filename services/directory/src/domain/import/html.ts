/**
 * HTML -> plain text. Tags go, with the content of scripts, styles and comments; entities become letters. A `<` that begins no
 * tag ("pression < 3 bar", "<me@example.org>") is text. What counts as a tag is what a browser would take for one, so that no
 * text comes out alive: an attribute's value may hold angle brackets, and a slash may stand for the space behind the name.
 * Runs in time linear in the text, whatever it holds: each step looks forward once, and what is repeated is bounded.
 */

/** The beginning of a start or end tag; the second half of a name is Word's `<o:p>`. */
const TAG = /<\/?([a-zA-Z][a-zA-Z0-9-]*(?::[a-zA-Z][a-zA-Z0-9-]*)?)(?=[\s/>])/y;
/** `<!DOCTYPE html>`, `<?xml version="1.0"?>`. */
const DECLARATION = /<[!?][a-zA-Z][^<>]*>/y;
/** Only marks what it encloses as text; feeds put HTML into it. */
const CDATA = /<!\[CDATA\[|\]\]>/g;
const BEFORE_VALUE = /[^<>=]*/y;
/** A quote that is never closed is a letter. */
const VALUE = /\s*(?:"[^"]*"|'[^']*'|[^\s"'>][^\s>]{0,100})?/y;
const BREAKING = /^(?:br|p|div|li|ul|ol|tr|table|h[1-6]|section|article|blockquote|hr|dt|dd)$/i;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));/g;

/** More than tags have. Each costs a look forward, so their number keeps the time linear. */
const MOST_ATTRIBUTES = 20;
/** How often tags may hide in one another (`<sc<b>ript>`); beyond that whatever is left loses its `<`. */
const MOST_ROUNDS = 4;

/** Without tags; those that begin a new line or paragraph become `breaks`. Returns the same string when there was none. */
export function withoutTags(text: string, breaks: string): string {
  if (!text.includes("<")) return text;
  let plain = text.includes("<![CDATA[") ? text.replaceAll(CDATA, "") : text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = plain;
    plain = withoutOuterTags(before, breaks);
    if (plain === before) return plain;
  }
  return plain.replaceAll(/<(?=[a-zA-Z/!?])/g, "");
}

function withoutOuterTags(text: string, breaks: string): string {
  let open = text.indexOf("<");
  let plain = "";
  let kept = 0;
  while (open >= 0) {
    const end = endOfMarkup(text, open);
    if (end === null) {
      open = text.indexOf("<", open + 1);
      continue;
    }
    plain += text.slice(kept, open) + (end.breaking ? breaks : "");
    kept = end.at;
    open = text.indexOf("<", kept);
  }
  return kept === 0 ? text : plain + text.slice(kept);
}

/** Where the tag, comment, script or style that begins at `open` ends; null when nothing begins there. */
function endOfMarkup(text: string, open: number): { readonly at: number; readonly breaking: boolean } | null {
  if (text.startsWith("<!--", open)) return { at: after(text, /-->/g, open), breaking: false };
  const declared = behind(DECLARATION, text, open);
  if (declared > open) return { at: declared, breaking: false };

  TAG.lastIndex = open;
  const tag = TAG.exec(text);
  const at = tag === null ? null : endOfTag(text, TAG.lastIndex);
  if (tag === null || at === null) return null;
  const name = tag[1].toLowerCase();
  const hidden = (name === "script" || name === "style") && text[open + 1] !== "/" && text[at - 2] !== "/";
  if (hidden) return { at: after(text, />/g, after(text, new RegExp(`</${name}`, "gi"), at)), breaking: false };
  return { at, breaking: BREAKING.test(name) };
}

/**
 * Behind the `>` that ends a tag, which is none inside a value; null when another `<` or the end of the text comes first. Of a
 * tag that never seems to end only the beginning goes, which makes it harmless.
 */
function endOfTag(text: string, from: number): number | null {
  let at = from;
  for (let values = 0; values <= MOST_ATTRIBUTES; values++) {
    at = behind(BEFORE_VALUE, text, at);
    if (text[at] === ">") return at + 1;
    if (text[at] !== "=") return null;
    at = behind(VALUE, text, at + 1);
  }
  return from;
}

/** Behind what matches right here, or here when nothing does. */
function behind(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

/** Behind the next `mark`, or the end of the text: what is never closed is markup to the end. */
function after(text: string, mark: RegExp, from: number): number {
  mark.lastIndex = from;
  return mark.test(text) ? mark.lastIndex : text.length;
}

/** Named and numeric entities as letters; unknown names stay as they are. Returns the same string when there was none. */
export function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(ENTITY, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return letterOf(code) ?? whole;
  });
}

/** Numbers 128-159 mean Windows-1252 in HTML, not control characters. */
function letterOf(code: number): string | undefined {
  if (code >= 128 && code <= 159) return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCodePoint(code);
}

/** The entities of HTML 4: Latin-1 from 160 on in order, then the others that French texts use. */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
  "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute " +
  "THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde " +
  "ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const OTHERS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  OElig: "Œ",
  oelig: "œ",
  Scaron: "Š",
  scaron: "š",
  Yuml: "Ÿ",
  fnof: "ƒ",
  circ: "ˆ",
  tilde: "˜",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  zwnj: "",
  zwj: "",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  dagger: "†",
  Dagger: "‡",
  bull: "•",
  hellip: "…",
  permil: "‰",
  prime: "′",
  Prime: "″",
  lsaquo: "‹",
  rsaquo: "›",
  euro: "€",
  trade: "™",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  harr: "↔",
  minus: "−",
  le: "≤",
  ge: "≥",
  ne: "≠",
  asymp: "≈",
  infin: "∞",
  hearts: "♥",
};
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(" ").map((name, place): [string, string] => [name, String.fromCharCode(160 + place)]),
  ...Object.entries(OTHERS),
]);
