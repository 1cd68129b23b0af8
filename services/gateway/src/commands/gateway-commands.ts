import { readConfig } from "@triptych/config";
import { Command, Option } from "commander";
import { GatewayConfig } from "../config.ts";

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly fetch: typeof fetch;
}

export function gatewayCommands({ environment, stdout, fetch }: CliContext): Command {
  const gateway = new Command("gateway").description("manage the hosted gateway for paid decisions").exitOverride();
  gateway
    .command("health")
    .description("print the health of the gateway's router and rail as JSON; exit 1 if one is unhealthy")
    .addOption(new Option("--json", "accepted for consistency; the output is always JSON"))
    .option("--url <address>", "URL of the gateway (default: GATEWAY_URL, else GATEWAY_PORT on this machine)")
    .action(async ({ url }: { url?: string }) => {
      const { GATEWAY_URL, GATEWAY_PORT, HOST } = readConfig(GatewayConfig, environment);
      const at = url ?? GATEWAY_URL ?? `http://${HOST}:${GATEWAY_PORT}`;
      const answer = await fetch(`${at}/health`).catch(() => null);
      if (answer === null) throw new Error(`No gateway responds at ${at}. Start it with: triptych start gateway`);
      stdout.write(`${JSON.stringify(await answer.json(), null, 2)}\n`);
      if (!answer.ok) throw new Error("The gateway cannot serve paid decisions: see `router` and `rail` above.");
    });
  return gateway;
}
