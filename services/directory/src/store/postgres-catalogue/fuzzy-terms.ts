export function fuzzyTerms(term: string, alphabet: readonly string[]): Set<string> {
  const letters = Array.from(term);
  const terms = new Set<string>();
  for (let at = 0; at <= letters.length; at++) {
    const head = letters.slice(0, at).join("");
    const [here, next] = [letters[at], letters[at + 1]];
    const rest = letters.slice(at).join("");
    for (const letter of alphabet) terms.add(head + letter + rest);
    if (here === undefined) continue;
    const shorter = letters.slice(at + 1).join("");
    terms.add(head + shorter);
    for (const letter of alphabet) terms.add(head + letter + shorter);
    if (next !== undefined) terms.add(head + next + here + letters.slice(at + 2).join(""));
  }
  terms.delete(term);
  return terms;
}
