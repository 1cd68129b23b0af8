import { ITEM_TYPES } from "@triptych/contracts";
import { Command, Option } from "commander";
import { numberIn, onCall, type Context } from "./context.ts";

interface SearchOptions {
  readonly type?: (typeof ITEM_TYPES)[number];
  readonly region?: string;
  readonly tag?: string;
  readonly near?: string;
  readonly radius?: string;
  readonly departement?: string;
  readonly commune?: string;
  readonly codePostal?: string;
  readonly bbox?: string;
  readonly limit: string;
}

export function searchCommand(context: Context): Command {
  const search = new Command("search")
    .description("search the directory")
    .argument("[words...]", "full text")
    .addOption(new Option("--type <type>", "only items of this type").choices(ITEM_TYPES))
    .option("--region <names>", "any of these régions, comma-separated")
    .option("--departement <name>", "one département by name")
    .option("--commune <name>", "one commune by name")
    .option("--code-postal <codes>", "any of these postal codes or their first digits, comma-separated")
    .option("--tag <names>", "any of these themes, comma-separated")
    .option("--near <lat,lon>", "sort by distance from this point (Pro)")
    .option("--radius <km>", "only within this distance of --near (Pro)")
    .option("--bbox <west,south,east,north>", "only in this box (Pro)")
    .option("--limit <number>", "maximum number of items to list", "20");
  return onCall<SearchOptions>(search, context, "directory", async ({ triptych, args, print, table }, options) => {
    const { type, region, departement, commune, codePostal, tag, near, radius, bbox, limit } = options;
    const page = await triptych.directory.items.list({
      limit: numberIn(limit),
      ...(args.length > 0 && { q: args.join(" ") }),
      ...(type !== undefined && { type: [type] }),
      ...(region !== undefined && { region: region.split(",") }),
      ...(departement !== undefined && { departement }),
      ...(commune !== undefined && { commune }),
      ...(codePostal !== undefined && { code_postal: codePostal.split(",") }),
      ...(tag !== undefined && { tag: tag.split(",") }),
      ...(near !== undefined && { near }),
      ...(radius !== undefined && { radius: numberIn(radius) }),
      ...(bbox !== undefined && { bbox }),
    });
    const rows = page.items.map(({ type: kind, slug, title }) => [kind, slug, title ?? ""]);
    print(page, () => {
      const total = `${page.total} items${page.total > rows.length ? `, ${rows.length} listed` : ""}`;
      return rows.length === 0 ? "No items." : `${table(["type", "slug", "title"], rows, ["title", "slug"])}\n${total}`;
    });
  });
}
