/** Gates as text: what a shell gets, and the words that this was made of. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function gateLine(...words: readonly string[]): string {
  return ["triptych", "gate", ...words].map(quoted).join(" ");
}

/** The words after `triptych gate` of a line that is nothing else; null for every other command. */
export function readGateLine(line: string): readonly string[] | null {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const [whole = ""] = /^(?:[\w@%+=:,./-]|'[^']*'|\\')+(?=\s|$)/.exec(rest) ?? [];
    if (whole === "") return null;
    words.push(whole.replaceAll(/'([^']*)'|\\'/g, (part, inside?: string) => inside ?? part[1]));
    rest = rest.slice(whole.length).trimStart();
  }
  const [program, word, ...said] = words;
  return program === "triptych" && word === "gate" && said.length > 0 ? said : null;
}
