/**
 * Reads the assets of the pages once, at start. Their comments and types (JSDoc) are for us and stay here: without them the
 * scripts of a page weigh a quarter less. Only what stands alone is taken out, so no string can be mistaken for a comment.
 */
import { readFile } from "node:fs/promises";
import { pageAssets } from "./page-assets.ts";

export interface LoadedAsset {
  readonly path: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

export function loadPageAssets(): Promise<LoadedAsset[]> {
  return Promise.all(
    pageAssets().map(async ({ path, mediaType, file }) => {
      const text = await readFile(file, "utf8");
      return {
        path,
        mediaType,
        body: Buffer.from(path.endsWith(".css") ? withoutCssComments(text) : withoutComments(text)),
      };
    }),
  );
}

/** Doc comments wherever they stand, and lines that are nothing but a comment. */
export function withoutComments(script: string): string {
  return script.replaceAll(/[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n?/g, "").replaceAll(/^[ \t]*\/\/.*\n/gm, "");
}

function withoutCssComments(style: string): string {
  return style.replaceAll(/\/\*[\s\S]*?\*\/\n?/g, "");
}
