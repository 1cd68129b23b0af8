/**
 * HTML -> plain text. Tags go, with the content of scripts, styles and comments; entities become letters. A `<` that begins no
 * tag ("pression < 3 bar") is text. Runs in time linear in the text, whatever it holds: each step looks forward once.
 */

/** A start or end tag, from `<` on; the part after the name cannot hold another angle bracket, so the match stays short. */
const TAG = /<\/?([a-zA-Z][a-zA-Z0-9-]*)(?:\s[^<>]*|\/)?>/y;
const BREAKING = /^(?:br|p|div|li|ul|ol|tr|table|h[1-6]|section|article|blockquote|hr|dt|dd)$/i;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));/g;

/** Without tags; those that begin a new line or paragraph become `breaks`. Returns the same string when there was none. */
export function withoutTags(text: string, breaks: string): string {
  let open = text.indexOf("<");
  if (open < 0) return text;
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
  if (text.startsWith("<!--", open)) return { at: after(text, "-->", open), breaking: false };
  TAG.lastIndex = open;
  const tag = TAG.exec(text);
  if (tag === null) return null;
  const name = tag[1].toLowerCase();
  const hidden = (name === "script" || name === "style") && text[open + 1] !== "/" && !tag[0].endsWith("/>");
  if (hidden) return { at: after(text, ">", after(text, `</${name}`, TAG.lastIndex)), breaking: false };
  return { at: TAG.lastIndex, breaking: BREAKING.test(name) };
}

/** Behind the next `mark`, or the end of the text: what is never closed is markup to the end. */
function after(text: string, mark: string, from: number): number {
  const lower = text.indexOf(mark, from);
  const at = lower < 0 && mark.startsWith("</") ? text.indexOf(mark.toUpperCase(), from) : lower;
  return at < 0 ? text.length : at + mark.length;
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
