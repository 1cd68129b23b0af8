/** `token …`: prints a new operator or service token once. It takes effect when the rail starts with it. */
import { generateKey, SERVICE_FORM } from "@triptych/api-keys";
import { Argument, type Command } from "commander";
import { ADMIN_FORM } from "../access.ts";
import { say, type CliContext } from "./cli-context.ts";

export function addTokenCommand(rail: Command, { stdout, stderr, random }: CliContext): void {
  rail
    .command("token")
    .description("create a token for the operator or for gateways and print it")
    .addArgument(new Argument("<kind>", "whose").choices(["admin", "service"]))
    .action((kind: "admin" | "service") => {
      const isAdmin = kind === "admin";
      say(stdout, generateKey(isAdmin ? ADMIN_FORM : SERVICE_FORM, random));
      const variable = isAdmin ? "RAIL_ADMIN_TOKEN" : "RAIL_SERVICE_TOKEN";
      const whom = isAdmin ? "the rail" : "the rail and every gateway";
      say(stderr, `Start ${whom} with ${variable} set to the token above. It is not stored and cannot be shown again.`);
    });
}
