/** The files behind the playground, as data: under which address, from which file. */
import { PAGE_TOKENS, type PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "curl.js",
  "dom.js",
  "explained-words.js",
  "playground.css",
  "playground.js",
  "question.js",
  "show-answer.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  const own = FILES.map((name) => ({
    path: `/playground/${name}`,
    file: new URL(`./browser/${name}`, import.meta.url),
  }));
  return [...own, { path: "/playground/tokens.css", file: PAGE_TOKENS }];
}
