/** One product for all stories of a process: three of them at once would only keep each other waiting. */
import { after } from "node:test";
import { openProduct, type Product } from "./stage.ts";

let opening: Promise<Product> | null = null;

export function sharedProduct(): Promise<Product> {
  opening ??= openProduct();
  return opening;
}

after(async () => {
  if (opening !== null) await (await opening)[Symbol.asyncDispose]();
});
