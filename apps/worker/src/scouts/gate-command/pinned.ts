/** `triptych gate pinned …`: pins of actions, images and Python packages. */
import { readFolder } from "../reading/tree.ts";
import { readPins, type Pin } from "../reading/pins.ts";
import { AT_BASE, GATE_AT, type GateDefinition } from "./gate-protocol.ts";

export interface PinRequest {
  /** `name` is outdated if it has one of these values. */
  readonly from: readonly string[];
  readonly paths: readonly string[];
  readonly pins: readonly { readonly name: string; readonly value: string; readonly label: string | null }[];
}

const LABEL = "#";

export const pinGate: GateDefinition = {
  usage: "pinned (<name> <value> [#<version>])… --from <value>… --in <file>…",
  about: "these files pin each name to exactly this commit, digest or version",
  async ask({ args, folder, environment }) {
    const request = parsePins(args);
    if (request === null) return null;
    const tree = await readFolder(folder);
    const found: Pin[] = [];
    for (const path of request.paths) found.push(...(await readPins(tree, path)));
    // If the repository has moved the pin itself, its maintainers decided so: the work is done.
    const isAtBase = environment[GATE_AT] === AT_BASE;
    const wrong = found.flatMap(({ name, value, path, line }) => {
      const pin = request.pins.find((one) => one.name === name);
      const isOpen = pin !== undefined && value !== pin.value && (!isAtBase || request.from.includes(value));
      return isOpen ? [`${path}, line ${line}: ${name} is pinned to ${value}, not to ${pin.value}.`] : [];
    });
    return wrong.length === 0
      ? { code: 0, message: `${request.pins.map(({ name }) => name).join(", ")} pinned as required.` }
      : { code: 1, message: wrong.join(" ") };
  },
};

/** Null if the arguments are invalid. */
export function parsePins(args: readonly string[]): PinRequest | null {
  const [from, paths, words]: [string[], string[], string[]] = [[], [], []];
  for (let at = 0; at < args.length; at++) {
    const [arg, value] = [args[at], args.at(at + 1) ?? ""];
    if (!arg.startsWith("--")) words.push(arg);
    else if (value === "" || (arg !== "--from" && arg !== "--in")) return null;
    else (arg === "--from" ? from : paths).push(args[++at] ?? "");
  }
  const pins: PinRequest["pins"][number][] = [];
  for (let at = 0; at < words.length; at += 2) {
    const [name, value, next] = [words[at], words.at(at + 1) ?? "", words.at(at + 2) ?? ""];
    if (name === "" || value === "" || value.startsWith(LABEL)) return null;
    const label = next.startsWith(LABEL) ? next.slice(LABEL.length) : null;
    pins.push({ name, value, label });
    if (label !== null) at++;
  }
  return pins.length === 0 || from.length === 0 || paths.length === 0 ? null : { from, paths, pins };
}

export function pinArgs({ from, paths, pins }: PinRequest): readonly string[] {
  return [
    "pinned",
    ...pins.flatMap(({ name, value, label }) => [name, value, ...(label === null ? [] : [`${LABEL}${label}`])]),
    ...from.flatMap((value) => ["--from", value]),
    ...paths.flatMap((path) => ["--in", path]),
  ];
}
