/**
 * Sanitizes untrusted text for display: removes terminal color codes, and replaces control and bidirectional characters with visible
 * ones.
 */
const TERMINAL_CODES = /\u001b\[[0-9;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function plainText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(TERMINAL_CODES, "")
    .replaceAll(CONTROL, (sign) => (sign === "\u007f" ? "\u2421" : String.fromCodePoint(0x2400 + sign.charCodeAt(0))))
    .replaceAll(DIRECTION, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

export interface Cut {
  readonly text: string;
  /** Invisible characters. */
  readonly left: number;
}

export function cutLine(line: string, most: number): Cut {
  return line.length <= most ? { text: line, left: 0 } : { text: line.slice(0, most), left: line.length - most };
}

/** The first line, for one-line displays. */
export function firstLine(text: string): string {
  return plainText(text).trimStart().split("\n", 1)[0] ?? "";
}
