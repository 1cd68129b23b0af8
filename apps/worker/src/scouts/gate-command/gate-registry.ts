/** Converts gates to shell text and back to arguments. */
export function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

export function gateLine(...args: readonly string[]): string {
  return ["triptych", "gate", ...args].map(quoted).join(" ");
}

/** The arguments of a line that consists of one `triptych gate` command; null for any other command. */
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
