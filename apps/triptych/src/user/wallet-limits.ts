/** `wallet caps` and `wallet tokens`: the maximum that a wallet and its agents may spend. */
import type { AnswerOf, getWallet, listWalletTokens } from "@triptych/contracts";
import { addYesOption, confirmOrRefuse } from "@triptych/terminal";
import type { Command } from "commander";
import { onCall, type Context } from "./context.ts";
import { euros, exactEuros, microIn } from "./euros.ts";
import { UsageError } from "./profile.ts";

const NO_CAP = "none";
/** Six decimals, because decisions cost fractions of a cent. */
const DECIMALS = 6;

interface CapOptions {
  readonly perCharge?: string;
  readonly perDay?: string;
  readonly perMonth?: string;
  readonly total?: string;
}

interface TokenOptions extends CapOptions {
  readonly expires?: string;
  readonly ops?: string;
}

type Wallet = AnswerOf<typeof getWallet>;
type Token = AnswerOf<typeof listWalletTokens>["items"][number];

function addCapOptions(command: Command): Command {
  return command
    .option("--per-charge <euros>", "maximum per decision, such as 0.0005")
    .option("--per-day <euros>", "maximum per UTC day")
    .option("--per-month <euros>", "maximum per UTC month");
}

export function addCaps(wallet: Command, context: Context): void {
  const command = addCapOptions(wallet.command("caps").description("show or set the caps of the wallet"));
  command.addHelpText("after", `\n\`${NO_CAP}\` removes a cap. Omitted caps stay unchanged.`);
  onCall<CapOptions>(command, context, "rail", async ({ triptych, print, table }, options) => {
    const caps = capsIn(options, true);
    const body =
      Object.keys(caps).length === 0 ? await triptych.rail.wallet.get() : await triptych.rail.wallet.change({ caps });
    print({ caps: body.caps, spent: body.spent }, () => table(["cap", "limit", "spent"], capRows(body), []));
  });
}

export function addTokens(wallet: Command, context: Context): void {
  const tokens = wallet
    .command("tokens")
    .description("sub-tokens that pay from the wallet, each within its caps")
    .exitOverride();
  const list = tokens.command("list").description("list the tokens with their caps and what they have spent");
  onCall(list, context, "rail", async ({ triptych, print, table }) => {
    const items = await Array.fromAsync(triptych.rail.walletTokens.iterate());
    const heads = ["id", "name", "state", "can spend", "spent"];
    print(items, () => (items.length === 0 ? "No tokens." : table(heads, items.map(rowOf), ["name"])));
  });

  const create = addCapOptions(tokens.command("create").description("create a token; it is shown once"))
    .argument("<name>", "name of the token, such as the agent that uses it")
    .option("--total <euros>", "maximum over the lifetime of the token")
    .option("--expires <time>", "expiry time, such as 2027-01-31T00:00:00Z")
    .option("--ops <names>", "operations that the token may pay for, comma-separated");
  onCall<TokenOptions>(create, context, "rail", async ({ triptych, args, print }, { expires, ops, ...caps }) => {
    const body = await triptych.rail.walletTokens.create({
      name: args[0] ?? "",
      caps: capsIn(caps, false),
      ...(expires !== undefined && { expires_at: expires }),
      ...(ops !== undefined && { ops: ops.split(",").map((name) => name.trim()) as NonNullable<Token["ops"]> }),
    });
    print(body, () => `${body.token_id}  can spend ${euros(body.spendable_micro)}\n${body.wallet_token}`);
  });

  const revoke = addYesOption(tokens.command("revoke").description("revoke a token; it stops working immediately"));
  onCall(revoke.argument("<id>", "ID of the token"), context, "rail", async ({ triptych, args, print }) => {
    const [id = ""] = args;
    await confirmOrRefuse(revoke, `The agent that uses it can no longer pay. Revoke ${id}?`);
    await triptych.rail.walletTokens.revoke({ id });
    print({ token_id: id, revoked: true }, () => `${id} is revoked.`);
  });
}

/** The caps that the options set; omitted ones stay unchanged. */
function capsIn({ perCharge, perDay, perMonth, total }: CapOptions, canRemove: boolean) {
  const named = { per_charge_micro: perCharge, per_day_micro: perDay, per_month_micro: perMonth, total_micro: total };
  const given = Object.entries(named).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, limitIn(text, canRemove)] as const],
  );
  return Object.fromEntries(given);
}

function limitIn(text: string, canRemove: boolean): number | null {
  if (text !== NO_CAP) return microIn(text, DECIMALS);
  if (!canRemove) throw new UsageError("Omit the option: a new token has no cap by default.");
  return null;
}

function capRows({ caps, spent }: Pick<Wallet, "caps" | "spent">) {
  const limit = (micro: number | null) => (micro === null ? "none" : exactEuros(micro));
  const rows = [
    ["per charge", limit(caps.per_charge_micro), ""],
    ["per day", limit(caps.per_day_micro), euros(spent.day_micro)],
    ["per month", limit(caps.per_month_micro), euros(spent.month_micro)],
  ];
  return caps.total_micro === null ? rows : [...rows, ["total", limit(caps.total_micro), euros(spent.total_micro)]];
}

function rowOf({ token_id, name, revoked_at, expires_at, spendable_micro, spent }: Token): readonly string[] {
  const state = revoked_at !== null ? "revoked" : expires_at === null ? "active" : `until ${expires_at}`;
  return [token_id, name, state, euros(revoked_at === null ? spendable_micro : 0), euros(spent.total_micro)];
}
