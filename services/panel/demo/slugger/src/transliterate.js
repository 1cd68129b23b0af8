/** Letters that Unicode does not decompose, with their replacements. */
const LETTERS = new Map([
  ["ß", "ss"],
  ["ẞ", "SS"],
  ["æ", "ae"],
  ["Æ", "AE"],
  ["œ", "oe"],
  ["Œ", "OE"],
  ["ø", "o"],
  ["Ø", "O"],
  ["đ", "d"],
  ["Đ", "D"],
  ["ð", "d"],
  ["Ð", "D"],
  ["þ", "th"],
  ["Þ", "Th"],
  ["ł", "l"],
  ["Ł", "L"],
  ["ħ", "h"],
  ["Ħ", "H"],
  ["ŋ", "n"],
  ["Ŋ", "N"],
  ["ı", "i"],
  ["ĸ", "k"],
  ["ŧ", "t"],
  ["Ŧ", "T"],
  ["&", " and "],
  ["€", " euro "],
]);

/** Replaces listed letters; others are unchanged. */
export function transliterate(text) {
  return Array.from(text, (letter) => LETTERS.get(letter) ?? letter).join("");
}
