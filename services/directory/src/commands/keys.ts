/** Manages API keys. Only `create` and `rotate` print a secret; the store has only its hash. */
import {
  createKeys,
  KeyError,
  openKeyStore,
  type DailyItems,
  type ApiKey,
  type ApiKeyService,
} from "@triptych/api-keys";
import { createBillingLedger, type BillingLedger } from "@triptych/usage-metering";
import {
  addJsonOption,
  addYesOption,
  confirmOrRefuse,
  printResult,
  renderTable,
  timeText,
  widthOf,
} from "@triptych/terminal";
import { Option, type Command } from "commander";
import { KEY_FORMS, meteredPlans } from "../store/access.ts";
import { failure, usageError, say, withStore, type CliContext } from "./cli-context.ts";
import {
  DAY_MS,
  dailyItemsOption,
  expiresOption,
  parseGrace,
  planOption,
  toExpiresAt,
  type Expiry,
} from "./key-options.ts";

const PAGE_SIZE = 1000;
/** Until then, the service rejects the key with 401. */
const ACCEPTED_SOON = "A running service accepts it within a second.";

interface CreateOptions {
  readonly name: string;
  readonly plan: string;
  readonly dailyItems?: DailyItems;
  readonly expires?: Expiry;
  readonly test?: boolean;
}
type SetOptions = Partial<Omit<CreateOptions, "test">>;

export function addKeyCommands(directory: Command, context: CliContext): void {
  const keys = directory.command("keys").description("create, list, update, rotate and revoke API keys");
  for (const add of [addCreate, addList, addShow, addSet, addRotate, addRevoke]) add(keys, context);
}

function addCreate(keys: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  addJsonOption(keys.command("create"))
    .description("create a key and print it; it cannot be shown again")
    .requiredOption("--name <name>", "name of the key holder, shown in `keys list` and /api/usage")
    .addOption(planOption().makeOptionMandatory())
    .addOption(dailyItemsOption())
    .addOption(expiresOption())
    .option("--test", "create a test key: metered, never invoiced (dir_test_…)")
    .action((options: CreateOptions, command: Command) =>
      withKeys(context, command, async (keys) => {
        const { name, plan, dailyItems, expires = "never", test = false } = options;
        const created = await keys.create({
          name,
          plan,
          test,
          expiresAt: toExpiresAt(expires),
          ...(dailyItems !== undefined && { dailyItems }),
        });
        printResult(command, stdout, {
          json: { ...jsonOf(created.key, context.now()), secret: created.secret },
          text: () => created.secret,
        });
        say(
          stderr,
          `Created ${created.key.id} (${plan}). Save the key above: it is not stored and cannot be shown again. ${ACCEPTED_SOON}`,
        );
      }),
    );
}

function addList(keys: Command, context: CliContext): void {
  const { stdout } = context;
  addJsonOption(keys.command("list"))
    .description("list all keys, oldest first")
    .action((_options, command: Command) =>
      withKeys(context, command, async (keys, ledger) => {
        const rows: ApiKey[] = [];
        for (let page = await keys.list({ limit: PAGE_SIZE }); page.length > 0;) {
          rows.push(...page);
          const last = page.at(-1);
          page =
            page.length < PAGE_SIZE || last === undefined ? [] : await keys.list({ limit: PAGE_SIZE, after: last.id });
        }
        const heads = ["id", "name", "plan", "kind", "items/day", "state", "created", "expires", "last used"];
        const now = context.now();
        const lastUse = await ledger.lastUse();
        const cells = rows.map((key) => [
          key.id,
          key.name,
          key.plan,
          kindOf(key),
          formatDailyItems(key),
          stateOf(key, now),
          timeText(key.createdAt),
          formatExpiry(key),
          lastUse.get(key.id) ?? "never",
        ]);
        printResult(command, stdout, {
          json: rows.map((key) => ({ ...jsonOf(key, now), last_used: lastUse.get(key.id) ?? null })),
          text: () =>
            rows.length === 0
              ? "No keys yet. Create one with `keys create`."
              : renderTable({ heads, rows: cells, shrink: ["name"] }, widthOf(stdout)),
        });
      }),
    );
}

function addShow(keys: Command, context: CliContext): void {
  addJsonOption(keys.command("show"))
    .description("show a key, without its secret")
    .argument("<id>", "key ID (key_…) from `keys list`")
    .action((id: string, _options, command: Command) =>
      withKeys(context, command, async (keys) => printKey(command, context, await keys.show(id))),
    );
}

function addSet(keys: Command, context: CliContext): void {
  addJsonOption(keys.command("set"))
    .description("update a key (effective everywhere within a second)")
    .argument("<id>", "key ID (key_…) from `keys list`")
    .option("--name <name>", "name of the key holder")
    .addOption(planOption())
    .addOption(dailyItemsOption())
    .addOption(expiresOption())
    .action((id: string, options: SetOptions, command: Command) => {
      const { name, plan, dailyItems, expires } = options;
      const settings = {
        ...(name !== undefined && { name }),
        ...(plan !== undefined && { plan }),
        ...(dailyItems !== undefined && { dailyItems }),
        ...(expires !== undefined && { expiresAt: toExpiresAt(expires) }),
      };
      if (Object.keys(settings).length === 0)
        usageError(command, "nothing to update: pass --name, --plan, --daily-items or --expires");
      return withKeys(context, command, async (keys) => printKey(command, context, await keys.set(id, settings)));
    });
}

function addRotate(keys: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  addJsonOption(keys.command("rotate"))
    .description("rotate a key and print the new secret; the old one stays valid for the grace period")
    .argument("<id>", "key ID (key_…) from `keys list`")
    .addOption(
      new Option("--grace <time>", "how long the old secret stays valid, such as 30m or 7d; 0 ends it immediately")
        .default(DAY_MS, "24h")
        .argParser(parseGrace),
    )
    .action((id: string, { grace }: { readonly grace: number }, command: Command) =>
      withKeys(context, command, async (keys) => {
        const { secret } = await keys.rotate(id, grace);
        const end = new Date(context.now() + grace).toISOString();
        printResult(command, stdout, { json: { id, secret, old_secret_valid_until: end }, text: () => secret });
        const validity =
          grace === 0
            ? "The old secret is no longer valid."
            : `The old secret stays valid until ${timeText(context.now() + grace)}.`;
        say(stderr, `${validity} Save the key above: it is not stored and cannot be shown again. ${ACCEPTED_SOON}`);
      }),
    );
}

function addRevoke(keys: Command, context: CliContext): void {
  const { stdout } = context;
  addYesOption(addJsonOption(keys.command("revoke")))
    .description("revoke a key permanently (effective everywhere within a second)")
    .argument("<id>", "key ID (key_…) from `keys list`")
    .action((id: string, _options, command: Command) =>
      withKeys(context, command, async (keys) => {
        await keys.show(id);
        await confirmOrRefuse(command, `Revoke ${id} permanently?`);
        await keys.revoke(id);
        printResult(command, stdout, { json: { id, state: "revoked" }, text: () => `${id} is revoked.` });
      }),
    );
}

const STATES: ReadonlySet<string> = new Set(["unknown_key", "key_revoked"]);

type KeyAction = (keys: ApiKeyService, ledger: BillingLedger) => Promise<void>;

async function withKeys(context: CliContext, command: Command, action: KeyAction): Promise<void> {
  const { now, random } = context;
  await withStore(context, async ({ database, config }) => {
    const plans = meteredPlans(config.DIRECTORY_PRICE_TIERS);
    const keys = createKeys({ store: openKeyStore(database), plans, forms: KEY_FORMS, clock: now, random });
    const ledger = createBillingLedger({ database, service: "directory", clock: now, random });
    try {
      await action(keys, ledger);
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      // Unknown and revoked keys depend on the store, not on the command line.
      if (STATES.has(error.code)) throw failure(error);
      usageError(command, error.message);
    }
  });
}

function printKey(command: Command, { stdout, now }: CliContext, key: ApiKey): void {
  printResult(command, stdout, { json: jsonOf(key, now()), text: () => formatKey(key, now()) });
}

function jsonOf(key: ApiKey, now: number) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    kind: kindOf(key),
    daily_items: key.dailyItems,
    state: stateOf(key, now),
    created_at: time(key.createdAt),
    expires_at: time(key.expiresAt),
    rotated_at: time(key.rotatedAt),
    revoked_at: time(key.revokedAt),
  };
}

function formatKey(key: ApiKey, now: number): string {
  const lines = [
    ["id", key.id],
    ["name", key.name],
    ["plan", key.plan],
    ["kind", kindOf(key)],
    ["items/day", formatDailyItems(key)],
    ["state", stateOf(key, now)],
    ["created", timeText(key.createdAt)],
    ["expires", formatExpiry(key)],
    ["rotated", timeText(key.rotatedAt)],
    ["revoked", timeText(key.revokedAt)],
  ];
  return lines.map(([name, value]) => `${(name ?? "").padEnd(10)} ${value}`).join("\n");
}

function formatExpiry({ expiresAt }: ApiKey): string {
  return expiresAt === null ? "never" : timeText(expiresAt);
}

function kindOf(key: ApiKey): string {
  return key.test ? "test" : "live";
}

function formatDailyItems(key: ApiKey): string {
  return key.dailyItems === "plan" ? "plan" : String(key.dailyItems);
}

function stateOf(key: ApiKey, now: number): string {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "valid";
}
