/**
 * Folds a text to lower case, without accents and with plain apostrophes. The length stays exactly the same, so that a
 * position in the folded text is a position in the text.
 */
const NOT_PLAIN = /[^\x00-\x40\x5b-\x7f]/;

export function foldSameLength(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  let folded = "";
  for (let index = 0; index < text.length; index++) folded += foldUnit(text[index]);
  return folded;
}

function foldUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? unit.toLowerCase() : unit;
  if (code === 0x2019 || code === 0x2018 || code === 0xb4) return "'";
  if (code === 0xa0 || code === 0x202f) return " ";
  if (code > 0x24f) return unit;
  const base = unit.normalize("NFD")[0].toLowerCase();
  return base.length === 1 ? base : unit;
}
