/** Untrusted text in Markdown: in fences, where forges ignore mentions, closing keywords and markup. */
import { stripVTControlCharacters } from "node:util";

const NOTE = "[shortened]";

/**
 * The fence is longer than any sequence of backticks in the text. The bytes of the fence count towards the limit, because a text of
 * backticks would double its size.
 */
export function fenced(text: string, bytesMax: number, language = "text"): string {
  return fence(bytesMax, language, (most) => cutBytes(text, most));
}

/** The last lines of a text, readable as they are: without control characters, and cut at the start. */
export function fencedTail(text: string, { lines, bytesMax }: { readonly lines: number; readonly bytesMax: number }) {
  // Only the end is needed, and a line may have megabytes.
  const readable = plainLines(text.slice(-4 * bytesMax));
  const last = readable.trimEnd().split("\n").slice(-lines).join("\n");
  return fence(bytesMax, "text", (most) => cutStart(last, most));
}

/** `text` in a code span, without characters that could end it. */
export function codeSpan(text: string, lengthMax: number): string {
  return `\`${Array.from(text.replaceAll(/[`\p{Cc}]/gu, ""))
    .slice(0, lengthMax)
    .join("")}\``;
}

function fence(bytesMax: number, language: string, cut: (bytesMax: number) => string): string {
  let content = cut(bytesMax);
  let ticks = ticksFor(content);
  if (Buffer.byteLength(content) + 2 * ticks.length > bytesMax) {
    content = cut(Math.floor(bytesMax / 3));
    ticks = ticksFor(content);
  }
  return `${ticks}${language}\n${content}\n${ticks}`;
}

function ticksFor(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return "`".repeat(longest + 1);
}

function cutBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const note = `\n${NOTE}`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax - note.length));
  return text.slice(0, read) + note;
}

function cutStart(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const note = `${NOTE}\n`;
  // The first bytes may be the rest of a character.
  const end = bytes.subarray(note.length - bytesMax).toString("utf8");
  return note + end.replace(/^\uFFFD+/, "");
}

/** Controls reorder or hide text: terminal sequences, C0 and C1, and bidirectional overrides. */
function plainLines(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
