/**
 * Converts HTML to plain text without markup for a browser. Works in rounds, because removing one tag can form another
 * (`<im<b>g>`), and because feeds escape their HTML, some twice (`&amp;lt;p&amp;gt;`).
 */
import { decodeHTML, decodeHTMLAttribute } from "entities";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Each round is linear. A `<` left after the last one is removed. */
const MAX_ROUNDS = 8;
const MARKUP_START = /<(?=[a-zA-Z/!?])/g;
/** Feeds wrap HTML in CDATA sections. */
const CDATA_MARKS = /<!\[CDATA\[|\]\]>/g;
/** Bracketed addresses in mails and notes, which a browser would parse as tags. */
const ADDRESS_IN_BRACKETS = /<(https?:\/\/[^\s<>"']+|[^\s<>"'/=@]+@[^\s<>"'/=@]+)>/g;
const URL_IN_TEXT = /(\b(?:https?:\/\/|www\.)[^\s<>"']+)/i;
const BREAKING = /^(?:br|p|div|li|ul|ol|tr|table|h[1-6]|section|article|blockquote|hr|dt|dd)$/;

export interface PlainText {
  readonly text: string;
  readonly hadMarkup: boolean;
  readonly hadEntities: boolean;
}

/**
 * Block tags and line breaks become a line feed. `clean` runs on decoded text, because an entity may encode a control
 * character.
 */
export function htmlToText(html: string, clean: (text: string) => string): PlainText {
  let text = html;
  let hadMarkup = false;
  let hadEntities = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stripped = stripTags(text);
    const decoded = clean(decodeEntities(stripped));
    hadMarkup ||= stripped !== text;
    hadEntities ||= decoded !== stripped;
    if (decoded === text) return { text, hadMarkup, hadEntities };
    text = decoded;
  }
  return { text: text.replaceAll(MARKUP_START, ""), hadMarkup, hadEntities };
}

function stripTags(html: string): string {
  if (!html.includes("<")) return html;
  const marked = html.replaceAll(CDATA_MARKS, "").replaceAll(ADDRESS_IN_BRACKETS, "$1");
  // No tag ends after the last `>`. The parser would drop the rest, but it is text: "pression <b".
  const end = marked.lastIndexOf(">") + 1;
  return textOf(marked.slice(0, end) + marked.slice(end).replaceAll(/<(?=[a-zA-Z/])/g, "")).replaceAll(
    MARKUP_START,
    "",
  );
}

/** Uses the tokenizer instead of the parser, whose stack takes quadratic time for a million open elements. */
function textOf(html: string): string {
  let text = "";
  let hidden = false;
  const onTagName = (start: number, end: number, isOpening: boolean): void => {
    const name = html.slice(start, end).toLowerCase();
    if (name === "script" || name === "style") hidden = isOpening;
    else if (BREAKING.test(name)) text += "\n";
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ...NO_CALLBACKS,
      ontext(start, end) {
        if (!hidden) text += html.slice(start, end);
      },
      onopentagname: (start, end) => onTagName(start, end, true),
      onclosetag: (start, end) => onTagName(start, end, false),
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return text;
}

const ignore = (): void => {};
const NO_CALLBACKS: TokenizerCallbacks = {
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncdata: ignore,
  onclosetag: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onopentagname: ignore,
  onprocessinginstruction: ignore,
  onselfclosingtag: ignore,
  ontext: ignore,
  ontextentity: ignore,
};

/** In a URL a name without a semicolon is a parameter: `?a=1&copy=2` is not ©. */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text
    .split(URL_IN_TEXT)
    .map((part, index) => (index % 2 === 1 ? decodeHTMLAttribute(part) : decodeHTML(part)))
    .join("");
}
