/** Validates an imported item against the contract: key set, field formats, limits. */
import { ActorItem, allFieldNames, ArticleItem, PlaceItem } from "@triptych/contracts";
import { Compile } from "typebox/compile";
import type { ItemFields } from "../../src/domain/catalogue.ts";

const validators = { actor: Compile(ActorItem), place: Compile(PlaceItem), article: Compile(ArticleItem) };

/** Empty if the item is valid. The URL is added when served. */
export function itemFaults(item: ItemFields): string[] {
  const served = { ...item, url: `https://directory.example/api/item/${item.type}/${item.slug}` };
  const validator = validators[item.type];
  const issues = validator.Check(served)
    ? []
    : validator.Errors(served).map((error) => `${error.instancePath} ${error.message}`);
  const keys = Object.keys(served).sort().join();
  if (keys !== allFieldNames(item.type).sort().join()) issues.push(`keys: ${keys}`);
  if (Buffer.byteLength(JSON.stringify(item.extra)) > 8192) issues.push("extra is over 8 KiB");
  if ([...item.tags].sort().join() !== item.tags.join()) issues.push("tags are not sorted");
  return issues;
}
