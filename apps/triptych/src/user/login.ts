/** `triptych login`, `logout`: an access token of the panel in a profile. */
import { hostname } from "node:os";
import { createClient, createTriptych, ProblemError } from "@triptych/client";
import { createToken, login, logout } from "@triptych/contracts";
import { readHiddenLine, readLine, readSecret } from "@triptych/terminal";
import { Command } from "commander";
import { messageOf } from "./connect.ts";
import { addProfileOption, asUsage, type Context } from "./context.ts";
import { profileName, readProfiles, updateProfile, UsageError, type ServiceAccess } from "./profile.ts";
import { urlIn } from "./profile-commands.ts";

const TOKEN_DAYS = 90;

interface LoginOptions {
  readonly email?: string;
  readonly tokenStdin?: boolean;
  readonly profile?: string;
}

export function loginCommand(context: Context): Command {
  const command = new Command("login")
    .description("sign in to a panel and store an access token in a profile")
    .argument("<panel-url>", "address of the panel")
    .option("--email <address>", "email address of the account; prompted for if omitted")
    .option("--token-stdin", "read an access token (pnl_…) from standard input instead of asking for a password")
    .addHelpText("after", HELP);
  return addProfileOption(command)
    .exitOverride()
    .action((text: string, options: LoginOptions) =>
      asUsage(command, async () => {
        const url = urlIn(text);
        const name = profileName(context.environment, options.profile);
        if (options.tokenStdin !== true && !process.stdin.isTTY)
          throw new UsageError(
            "A password can only be entered on a terminal. Pass an access token with --token-stdin.",
          );
        try {
          const access = options.tokenStdin === true ? await fromStdin(context, url) : await byPassword(url, options);
          const { account } = createTriptych({ panel: { url, token: access.secret } }).panel;
          const { email } = await account.get();
          updateProfile(context.environment, name, { panel: access });
          context.stderr.write(`Signed in to ${url} as ${email}, profile ${name}.\n`);
        } catch (error) {
          if (error instanceof UsageError) throw error;
          if (error instanceof ProblemError && error.status === 401)
            throw new Error("The panel rejected the email and password, or the access token.", { cause: error });
          throw new Error(messageOf(error, { url }, "panel"), { cause: error });
        }
      }),
    );
}

async function fromStdin({ stdin }: Context, url: string): Promise<ServiceAccess> {
  const secret = await readSecret(stdin);
  if (!/^pnl_[\x21-\x7e]+$/.test(secret)) throw new UsageError("Standard input contains no access token (pnl_…).");
  return { url, secret };
}

/** Signs in, creates an access token, and ends the session; the token stays valid. */
async function byPassword(url: string, options: LoginOptions): Promise<ServiceAccess> {
  const email = options.email ?? (await readLine("Email: "));
  const password = await readHiddenLine("Password: ");
  const session = await createClient({ url }).call(login, { body: { email: email.trim(), password } });
  const cookies = session.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const headers = { Cookie: cookies.join("; "), "X-CSRF-Token": session.body.csrf_token };
  const client = createClient({ url, headers });
  const name = `triptych on ${hostname()}`.slice(0, 60);
  const scopes: ("read" | "write")[] = ["read", "write"];
  const { body } = await client.call(createToken, { body: { name, scopes, expires_in_days: TOKEN_DAYS } });
  await client.call(logout, { body: {} });
  return { url, secret: body.token, tokenId: body.id };
}

export function logoutCommand(context: Context): Command {
  const command = new Command("logout").description("remove the panel's access token from a profile and revoke it");
  return addProfileOption(command)
    .exitOverride()
    .action((options: { readonly profile?: string }) =>
      asUsage(command, async () => {
        const name = profileName(context.environment, options.profile);
        const access = readProfiles(context.environment).profiles[name]?.panel;
        if (access === undefined) throw new UsageError(`The profile ${name} is not signed in.`);
        updateProfile(context.environment, name, { panel: undefined });
        context.stderr.write(`Signed out of ${access.url}, profile ${name}.\n`);
        if (!(await revoke(access)))
          context.stderr.write("The token is still valid: revoke it in the dashboard under Account.\n");
      }),
    );
}

async function revoke({ url, secret, tokenId }: ServiceAccess): Promise<boolean> {
  if (tokenId === undefined) return false;
  try {
    await createTriptych({ panel: { url, token: secret }, timeoutMs: 5_000, retries: 0 }).panel.tokens.delete({
      id: tokenId,
    });
    return true;
  } catch (error) {
    // The token had already expired or been revoked.
    return error instanceof ProblemError && (error.status === 401 || error.status === 404);
  }
}

const HELP = `
The token may read and write, and expires after ${TOKEN_DAYS} days. It is stored with mode 0600 in
$XDG_CONFIG_HOME/triptych/config.json (default ~/.config). PANEL_URL and PANEL_ACCESS_TOKEN take precedence.`;
