/** Environment variables of a repo: as they are sent, and as they are answered. A sealed value is never answered. */
import { Type, type Static } from "typebox";
import { closed, nullable } from "./pieces.ts";

export const ENVIRONMENT_MAX = 50;
export const ENVIRONMENT_VALUE_MAX = 4_096;
export const ENVIRONMENT_NAME_MAX = 128;

const value = Type.String({ maxLength: ENVIRONMENT_VALUE_MAX });
const sealed = Type.Boolean({
  description: "A sealed value is encrypted at rest, given to the setup command alone, and never answered.",
});

/** The value of a sealed variable is null in every answer. */
export const Environment = Type.Record(Type.String(), closed({ value: nullable(value), sealed }), {
  description: "Variables of the setup command, the checks and the agent, by name.",
});
export type Environment = Static<typeof Environment>;

/** A text is a plain variable; null removes one. Names that are left out stay as they are. */
export const environmentPatch = Type.Record(
  Type.String(),
  nullable(Type.Union([value, closed({ value, sealed: Type.Optional(sealed) })])),
  {
    description: "Variables by name. A text is a plain value; `{value, sealed: true}` is encrypted; null removes one.",
  },
);
export type EnvironmentPatch = Static<typeof environmentPatch>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** They decide which programs start and which code runs in them, or belong to the worker. */
const RESERVED = new Set(
  "__PROTO__ PATH HOME TMPDIR SHELL IFS ENV BASH_ENV CI TERM USER LOGNAME PWD NODE_OPTIONS NODE_PATH PYTHONSTARTUP PERL5OPT RUBYOPT".split(
    " ",
  ),
);
const RESERVED_PREFIXES = ["LD_", "DYLD_", "GIT_", "TRIPTYCH_", "BASH_FUNC_"];

/** What is wrong with the name of a variable; null when it can be used. */
export function environmentNameIssue(name: string): string | null {
  if (name.length > ENVIRONMENT_NAME_MAX) return `is longer than ${ENVIRONMENT_NAME_MAX} characters`;
  if (!NAME.test(name)) return "must hold letters, digits and underscores, and not begin with a digit";
  const upper = name.toUpperCase();
  if (RESERVED.has(upper) || RESERVED_PREFIXES.some((prefix) => upper.startsWith(prefix))) return "is reserved";
  return null;
}
