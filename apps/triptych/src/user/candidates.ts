import { REJECT_SCOPES } from "@triptych/contracts";
import { addYesOption, confirmOrRefuse } from "@triptych/terminal";
import { Command, Option } from "commander";
import { onCall, type Context } from "./context.ts";
import { repoId } from "./repos.ts";
import { finish } from "./runs.ts";

export function candidateCommands(context: Context): Command {
  const candidates = new Command("candidates").description("work that scouts propose").exitOverride();
  const list = candidates.command("list").description("list proposed candidates of a repository by score");
  onCall(
    list.argument("<repo>", "ID or name of the repository"),
    context,
    "panel",
    async ({ triptych, args: [repo = ""], print, table }) => {
      const id = await repoId(triptych, repo);
      const items = await Array.fromAsync(triptych.panel.candidates.iterate({ id }));
      const rows = items.map(({ id: candidate, category, score, title }) => [candidate, category, score, title]);
      print(items, () =>
        rows.length === 0 ? "No candidates." : table(["id", "category", "score", "title"], rows, ["title"]),
      );
    },
  );
  const run = candidates.command("run").description("run a candidate").argument("<candidate>", "cnd_…");
  run.option("--watch", "follow the run until its end");
  onCall<{ readonly watch?: boolean }>(run, context, "panel", async (call, { watch }, command) => {
    const started = await call.triptych.panel.candidates.run({ id: call.args[0] ?? "" });
    await finish(call, started, { context, watches: watch === true, isJson: command.opts()["json"] === true });
  });
  addReject(candidates, context);
  return candidates;
}

interface RejectOptions {
  readonly reason?: string;
  readonly scope?: (typeof REJECT_SCOPES)[number];
  readonly until?: string;
}

function addReject(candidates: Command, context: Context): void {
  const reject = candidates
    .command("reject")
    .description("reject a candidate permanently, or until a given time")
    .argument("<candidate>", "cnd_…")
    .option("--reason <text>", "reason, shown in the dashboard")
    .addOption(new Option("--scope <scope>", "for a dependency update").choices(REJECT_SCOPES))
    .option("--until <time>", "time such as 2027-01-31T00:00:00Z, after which it may be proposed again");
  onCall<RejectOptions>(
    addYesOption(reject),
    context,
    "panel",
    async ({ triptych, args: [id = ""], print }, options, command) => {
      const { reason, scope, until } = options;
      await confirmOrRefuse(command, `Reject ${id} ${until === undefined ? "permanently" : `until ${until}`}?`);
      const candidate = await triptych.panel.candidates.reject({
        id,
        ...(reason !== undefined && { reason }),
        ...(scope !== undefined && { scope }),
        ...(until !== undefined && { until }),
      });
      print(candidate, () => `${candidate.id} ${candidate.state}`);
    },
  );
}
