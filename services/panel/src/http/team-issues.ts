/** Refuses a team that no worker can run (no writer, or an unnamed tool) instead of letting its runs wait for a day. */
import type { ValidationErrors } from "@triptych/server";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** Only the members checked here; the contract validates the rest. */
const TeamBody = Type.Object({
  team: Type.Object({
    members: Type.Array(
      Type.Object({ role: Type.String(), cli: Type.String(), command: Type.Optional(Type.Unknown()) }),
      { minItems: 1 },
    ),
  }),
});

export function validateTeam(body: unknown, errors: ValidationErrors): void {
  if (!Value.Check(TeamBody, body)) return;
  const { members } = body.team;
  if (!members.some(({ role }) => role === "coder")) {
    const message = "A team needs a member with the `role` coder.";
    errors.add({ path: "/team/members", reason: "no_coder", message });
  }
  for (const [index, { cli, command }] of members.entries())
    if (cli === "command" && command === undefined) {
      const message = "`command` is required: a list with the program and its arguments.";
      errors.add({ path: `/team/members/${index}/command`, reason: "required", message });
    }
}
