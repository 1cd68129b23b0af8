/**
 * Parses PostgreSQL's row text, `(a,2,"b, c",)`, one per line. PostgreSQL writes it in two thirds of the time of JSON.
 * https://www.postgresql.org/docs/15/rowtypes.html#ROWTYPES-IO-SYNTAX
 */
export type Field = string | null;

export function recordsOf(text: string): Field[][] {
  if (text.includes('"')) return quotedRecords(text);
  return text.split("\n").map((line) => line.slice(1, -1).split(",").map(unquoted));
}

/** A field after a parenthesis or comma, quoted or not, and the end of a row. */
const FIELD = /([(,])(?:"((?:[^"\\]+|""|\\[^])*)"|([^"(),\n]*))(?:\)(?:\n|$))?/gy;

function quotedRecords(text: string): Field[][] {
  const records: Field[][] = [];
  let read = 0;
  for (const [all, before, quoted, plain = ""] of text.matchAll(FIELD)) {
    read += all.length;
    const field = quoted === undefined ? unquoted(plain) : quoted.replaceAll(/""|\\[^]/g, (pair) => pair.slice(1));
    if (before === "(") records.push([field]);
    else records.at(-1)?.push(field);
  }
  if (read < text.length) throw new Error("the database returned a row in an unexpected format");
  return records;
}

/** An empty field is null; an empty text is quoted. */
function unquoted(text: string): Field {
  return text === "" ? null : text;
}
