/** One product for all stories of a process: several would only slow each other down. */
import { after } from "node:test";
import { openProduct, type Product } from "./open-product.ts";

let opening: Promise<Product> | null = null;

export function sharedProduct(): Promise<Product> {
  opening ??= openProduct();
  return opening;
}

after(async () => {
  if (opening !== null) await (await opening)[Symbol.asyncDispose]();
});
