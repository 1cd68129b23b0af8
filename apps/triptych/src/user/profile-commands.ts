/** `triptych profile …`: addresses and credentials of the services. */
import {
  addJsonOption,
  addYesOption,
  confirmOrRefuse,
  printResult,
  readHiddenLine,
  readSecret,
  renderTable,
  widthOf,
} from "@triptych/terminal";
import { Argument, Command } from "commander";
import { addProfileOption, asUsage, type Context } from "./context.ts";
import {
  profileName,
  readProfiles,
  SERVICES,
  updateProfile,
  UsageError,
  writeProfiles,
  type ServiceName,
} from "./profile.ts";

export function profileCommands(context: Context): Command {
  const profile = new Command("profile").description("addresses and credentials of the services").exitOverride();
  addList(profile, context);
  addSet(profile, context);
  addUse(profile, context);
  addRemove(profile, context);
  return profile;
}

function addList(profile: Command, { environment, stdout }: Context): void {
  const command = addJsonOption(profile.command("list").description("list profiles, without their credentials"));
  command.action(() => {
    const { current, profiles } = readProfiles(environment);
    const rows = Object.entries(profiles).flatMap(([name, services]) =>
      Object.entries(services).map(([service, { url, secret }]) => ({
        profile: name,
        current: name === current,
        service,
        url,
        credential: secret !== undefined,
      })),
    );
    const text = () =>
      rows.length === 0
        ? "No profile is stored. Sign in with `triptych login <panel-url>`."
        : renderTable(
            {
              heads: ["profile", "service", "address", "credential"],
              rows: rows.map((row) => [
                `${row.profile}${row.current ? " *" : ""}`,
                row.service,
                row.url,
                row.credential ? "stored" : "-",
              ]),
            },
            widthOf(stdout),
          );
    printResult(command, stdout, { json: rows, text });
  });
}

interface SetOptions {
  readonly secretStdin?: boolean;
  readonly profile?: string;
}

function addSet(profile: Command, { environment, stdin, stderr }: Context): void {
  const command = profile
    .command("set")
    .description("store the address and credential of a service")
    .addArgument(new Argument("<service>", "service").choices(SERVICES))
    .argument("<url>", "address of the service")
    .option("--secret-stdin", "read the credential from standard input; on a terminal, prompt for it");
  addProfileOption(command).action((service: ServiceName, text: string, options: SetOptions) =>
    asUsage(command, async () => {
      const url = urlIn(text);
      const name = profileName(environment, options.profile);
      const secret = await secretFor(service, options, stdin);
      if (!/^[\x21-\x7e]{0,1000}$/.test(secret))
        throw new UsageError("A credential can only contain printable ASCII characters.");
      updateProfile(environment, name, { [service]: { url, ...(secret !== "" && { secret }) } });
      stderr.write(`Stored the ${service} in profile ${name}, ${secret === "" ? "without" : "with"} a credential.\n`);
    }),
  );
}

const CREDENTIALS = {
  panel: "Access token (pnl_…)",
  directory: "API key (dir_…)",
  gateway: "Wallet token (rail_…)",
  router: "Router token",
  rail: "Wallet token (rail_…)",
} as const;

async function secretFor(service: ServiceName, options: SetOptions, stdin: AsyncIterable<unknown>): Promise<string> {
  if (options.secretStdin === true) return await readSecret(stdin);
  if (!process.stdin.isTTY) return "";
  return (await readHiddenLine(`${CREDENTIALS[service]}, empty for none: `)).trim();
}

function addUse(profile: Command, { environment, stderr }: Context): void {
  const command = profile
    .command("use")
    .description("make a profile the current one")
    .argument("<name>", "profile")
    .action((name: string) => {
      const config = readProfiles(environment);
      if (!Object.hasOwn(config.profiles, name))
        command.error(`error: Profile ${name} does not exist.`, { exitCode: 2 });
      writeProfiles(environment, { ...config, current: name });
      stderr.write(`The current profile is ${name}.\n`);
    });
}

function addRemove(profile: Command, { environment, stderr }: Context): void {
  const command = addYesOption(profile.command("remove").description("remove a profile with its credentials"));
  command.argument("<name>", "profile").action(async (name: string) => {
    const config = readProfiles(environment);
    if (!Object.hasOwn(config.profiles, name)) command.error(`error: Profile ${name} does not exist.`, { exitCode: 2 });
    await confirmOrRefuse(command, `Remove the profile ${name} and its credentials?`);
    const { [name]: _removed, ...profiles } = config.profiles;
    writeProfiles(environment, { current: config.current === name ? "default" : config.current, profiles });
    stderr.write(`Removed ${name}.\n`);
  });
}

/** Without a trailing slash. */
export function urlIn(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError("The address must be an http or https URL without user name and query.");
  return url.href.replace(/\/+$/, "");
}
