/** A team that no worker could ever be: nobody in it writes, or a tool is not named. Said now, not by a run that waits for a day. */
import type { ValidationErrors } from "@triptych/server";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** As far as it matters here; everything else is looked at by the contract. */
const TeamBody = Type.Object({
  team: Type.Object({
    members: Type.Array(
      Type.Object({ role: Type.String(), cli: Type.String(), command: Type.Optional(Type.Unknown()) }),
      { minItems: 1 },
    ),
  }),
});

/** `body`: as it came. */
export function validateTeam(body: unknown, faults: ValidationErrors): void {
  if (!Value.Check(TeamBody, body)) return;
  const { members } = body.team;
  if (!members.some(({ role }) => role === "coder")) {
    const message = "A team needs a member whose `role` is coder.";
    faults.add({ path: "/team/members", reason: "no_coder", message });
  }
  for (const [index, { cli, command }] of members.entries())
    if (cli === "command" && command === undefined) {
      const message = "`command` is missing: the program and its arguments, a list of texts.";
      faults.add({ path: `/team/members/${index}/command`, reason: "required", message });
    }
}
