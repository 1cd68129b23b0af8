/** Is an imported item what the contract promises? Its closed key set, the forms of its fields, their bounds. */
import { ActorItem, allFieldNames, ArticleItem, PlaceItem } from "@triptych/contracts";
import { Compile } from "typebox/compile";
import type { ItemFields } from "../../src/domain/catalogue.ts";

const validators = { actor: Compile(ActorItem), place: Compile(PlaceItem), article: Compile(ArticleItem) };

/** Empty when the item is valid. The address is added by whoever serves the item. */
export function itemFaults(item: ItemFields): string[] {
  const served = { ...item, url: `https://directory.example/api/item/${item.type}/${item.slug}` };
  const validator = validators[item.type];
  const faults = validator.Check(served)
    ? []
    : validator.Errors(served).map((error) => `${error.instancePath} ${error.message}`);
  const keys = Object.keys(served).sort().join();
  if (keys !== allFieldNames(item.type).sort().join()) faults.push(`keys: ${keys}`);
  if (Buffer.byteLength(JSON.stringify(item.extra)) > 8192) faults.push("extra is over 8 KiB");
  if ([...item.tags].sort().join() !== item.tags.join()) faults.push("tags are not sorted");
  return faults;
}
