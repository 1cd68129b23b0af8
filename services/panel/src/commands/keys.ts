/** `triptych panel keys …`: the keys that sign statements of runs. */
import { addJsonOption, type Output, printResult, renderTable, timeText } from "@triptych/terminal";
import type { Command } from "commander";
import type { Panel } from "../domain/panel.ts";

type KeyPanel = Pick<Panel, "statementKeys" | "store" | "newId" | "now">;

interface KeyContext {
  readonly stdout: Output;
  readonly withPanel: (work: (panel: KeyPanel) => Promise<void>) => Promise<void>;
}

const USUAL_WIDTH = 100;

export function addKeyCommands(panel: Command, { stdout, withPanel }: KeyContext): void {
  const keys = panel.command("keys").description("list and rotate the keys that sign statements of runs");
  addJsonOption(keys.command("list"))
    .description("list signing keys, newest first; statements verify under every one")
    .action((_options, command: Command) => withPanel((opened) => printKeys(opened, command, stdout)));
  addJsonOption(keys.command("rotate"))
    .description("publish a new signing key; it becomes active after 24 h")
    .option("--now", "activate it at once: verifiers with a cached key set reject new statements for an hour")
    .action(({ now: isImmediate = false }: { readonly now?: boolean }, command: Command) =>
      withPanel(async (opened) => {
        const { statementKeys, store, newId, now } = opened;
        if (!(await statementKeys.rotate({ isImmediate })))
          throw new Error(
            "A new key is already published and becomes active within 24 h; --now activates another one.",
          );
        const what = isImmediate ? "signing_key_rotated_now" : "signing_key_rotated";
        await store.signingKeys.note({ id: newId("aud"), what, at: now() });
        await printKeys(opened, command, stdout);
      }),
    );
}

async function printKeys({ statementKeys }: KeyPanel, command: Command, stdout: Output): Promise<void> {
  const keys = await statementKeys.list();
  const items = keys.map(({ kid, state, createdAt, activeFrom, replacedAt }) => {
    const iso = (at: number) => new Date(at).toISOString();
    const replaced_at = replacedAt === null ? null : iso(replacedAt);
    return { kid, state, created_at: iso(createdAt), active_from: iso(activeFrom), replaced_at };
  });
  const heads = ["kid", "state", "active from", "until"];
  const rows = keys.map(({ kid, state, activeFrom, replacedAt }) => {
    return [kid, state, timeText(activeFrom), timeText(replacedAt)];
  });
  printResult(command, stdout, {
    json: items,
    text: () => renderTable({ heads, rows }, stdout.columns ?? USUAL_WIDTH),
  });
}
