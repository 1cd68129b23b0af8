/** The interface of each `triptych gate` subcommand, and gates as shell text. */

export interface GateRequest {
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface GateResult {
  readonly code: 0 | 1 | 2;
  readonly message: string;
}

/** Checks a folder, returns an exit code and a message. */
export interface GateDefinition {
  readonly usage: string;
  readonly about: string;
  /** Null if the arguments are invalid. */
  ask(request: GateRequest): Promise<GateResult | null>;
}

/** Tells a gate that it runs before any change. The worker sets it to `AT_BASE`. */
export const GATE_AT = "TRIPTYCH_GATE_AT";
export const AT_BASE = "base";

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
