/** URLs of pages (http and https only; others are dropped with a note) and email addresses. */
import type { Cell } from "./text.ts";

/** Maximum URL length that browsers and servers support. */
const URL_LENGTH_MAX = 2000;
/** `host.tld` with optional port and path: a URL without its scheme. */
const BARE = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#].*)?$/u;

/** Browsers ignore these inside a URL, so `java\0script:` would run. */
const HIDDEN = /[\u0000-\u001F\u007F\u200B\uFEFF]/g;

/** A http(s) URL. Adds `http://` to a bare host: sites with https redirect, sites without it would fail. */
export function cleanUrl(raw: string, { column, notes }: Cell): string | null {
  const text = raw.replaceAll(HIDDEN, "").replaceAll("\u00A0", " ").trim();
  if (text === "") return null;
  const first = text.length > 2 * URL_LENGTH_MAX ? "" : firstAddress(text);
  const whole = withScheme(first);
  const address = whole === null || whole.length > URL_LENGTH_MAX ? null : parsed(whole);
  if (address === null) {
    // An email address in a URL column must not appear in reports.
    notes.note("url_dropped", { column, value: raw.includes("@") ? "(not shown)" : raw });
    return null;
  }
  if (first !== text) notes.note("url_first_kept", { column, value: raw, result: address });
  if (whole !== first) notes.note("url_scheme_added", { column, value: raw, result: address });
  return address;
}

function firstAddress(text: string): string {
  if (!/[\s;,]/.test(text)) return text;
  const [first, ...others] = text.split(/(?:[\s;]|,(?=\s|www\.|https?:))+/).filter((part) => part !== "");
  if (first === undefined || withScheme(first) === null) return text;
  const several = others.some((part) => part === "ou" || part === "et" || withScheme(part) !== null);
  return several ? first : text;
}

function withScheme(text: string): string | null {
  if (/^https?:\/\//i.test(text)) return text;
  if (text.startsWith("//")) return `http:${text}`;
  return BARE.test(text) ? `http://${text}` : null;
}

function parsed(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPage = (url.protocol === "http:" || url.protocol === "https:") && url.hostname.includes(".");
  // A user name and password in the URL would be published.
  if (!isPage || url.username !== "" || url.password !== "") return null;
  return url.pathname === "/" && url.search === "" && url.hash === "" && !text.endsWith("/")
    ? url.href.slice(0, -1)
    : url.href;
}

const EMAIL = /^[^\s@<>"(),:;[\\\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,63}$/u;

export function cleanEmail(raw: string, { column, notes }: Cell): string | null {
  const text = raw.trim().replace(/^mailto:/i, "");
  if (text === "") return null;
  if (EMAIL.test(text)) {
    const at = text.lastIndexOf("@");
    return text.slice(0, at) + text.slice(at).toLowerCase();
  }
  notes.note("email_dropped", { column, value: "(not shown)" });
  return null;
}
