import { Command } from "commander";
import { readSecret } from "@triptych/terminal";
import type { Connection } from "./connect.ts";
import { onCall, type Context } from "./context.ts";
import { UsageError } from "./profile.ts";

interface DecideOptions {
  readonly expert?: string;
  readonly options?: string;
}

export function decideCommand(context: Context): Command {
  const decide = new Command("decide")
    .description(
      "decide the route of a text, through the gateway if a wallet token is set, otherwise through the router",
    )
    .argument("<text>", "text to decide, or `-` for the first line of standard input")
    .option("--expert <name>", "name of an expert, or ID of a head (hed_…)")
    .option("--options <labels>", "only these routes of the expert, comma-separated");
  return onCall<DecideOptions>(decide, context, serviceFor, async ({ triptych, access, args, print }, options) => {
    const state = args[0] === "-" ? await readSecret(context.stdin) : (args[0] ?? "");
    if (state.trim() === "") throw new UsageError("There is no text to decide.");
    const answer = await triptych[serviceFor(access)].route({
      state,
      ...(options.expert !== undefined && { expert: options.expert }),
      ...(options.options !== undefined && { options: options.options.split(",") }),
    });
    print(answer, () => `${answer.route}  ${answer.action}  confidence ${answer.confidence.toFixed(3)}`);
  });
}

/** The gateway bills decisions to the wallet; a router decides for free. */
function serviceFor({ gateway }: Connection["access"]): "gateway" | "router" {
  return gateway.secret === undefined ? "router" : "gateway";
}
