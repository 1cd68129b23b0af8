import { ITEM_TYPES } from "@triptych/contracts";
import { Command, Option } from "commander";
import { numberIn, onCall, type Context } from "./context.ts";

interface SearchOptions {
  readonly type?: (typeof ITEM_TYPES)[number];
  readonly region?: string;
  readonly tag?: string;
  readonly near?: string;
  readonly radius?: string;
  readonly limit: string;
}

export function searchCommand(context: Context): Command {
  const search = new Command("search")
    .description("search the directory")
    .argument("[words...]", "full text")
    .addOption(new Option("--type <type>", "only items of this type").choices(ITEM_TYPES))
    .option("--region <names>", "any of these régions, comma-separated")
    .option("--tag <names>", "any of these themes, comma-separated")
    .option("--near <lat,lon>", "sort by distance from this point (Pro)")
    .option("--radius <km>", "only within this distance of --near (Pro)")
    .option("--limit <number>", "items to list", "20");
  return onCall<SearchOptions>(search, context, "directory", async ({ triptych, args, print, table }, options) => {
    const { type, region, tag, near, radius, limit } = options;
    const page = await triptych.directory.items.list({
      limit: numberIn(limit),
      ...(args.length > 0 && { q: args.join(" ") }),
      ...(type !== undefined && { type: [type] }),
      ...(region !== undefined && { region: region.split(",") }),
      ...(tag !== undefined && { tag: tag.split(",") }),
      ...(near !== undefined && { near }),
      ...(radius !== undefined && { radius: numberIn(radius) }),
    });
    const rows = page.items.map(({ type: kind, slug, title }) => [kind, slug, title ?? ""]);
    print(page, () => {
      const total = `${page.total} items${page.total > rows.length ? `, ${rows.length} listed` : ""}`;
      return rows.length === 0 ? "No items." : `${table(["type", "slug", "title"], rows, ["title", "slug"])}\n${total}`;
    });
  });
}
