/** Gates as text: what a shell gets, and the words that this was made of. */
export function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

export function gateLine(...args: readonly string[]): string {
  return ["triptych", "gate", ...args].map(quoted).join(" ");
}

/** The words after `triptych gate` of a line that is nothing else; null for every other command. */
export function readGateLine(line: string): readonly string[] | null {
  const args: string[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const [whole = ""] = /^(?:[\w@%+=:,./-]|'[^']*'|\\')+(?=\s|$)/.exec(rest) ?? [];
    if (whole === "") return null;
    args.push(whole.replaceAll(/'([^']*)'|\\'/g, (part, inside?: string) => inside ?? part[1]));
    rest = rest.slice(whole.length).trimStart();
  }
  const [program, command, ...gateArgs] = args;
  return program === "triptych" && command === "gate" && gateArgs.length > 0 ? gateArgs : null;
}
