/** Environment variables of a repository, as sent and as returned. Sealed values are never returned. */
import { Type, type Static } from "typebox";
import { strictObject, nullable } from "./schema-helpers.ts";

export const ENVIRONMENT_MAX = 50;
export const ENVIRONMENT_VALUE_MAX = 4_096;
export const ENVIRONMENT_NAME_MAX = 128;

const value = Type.String({ maxLength: ENVIRONMENT_VALUE_MAX });
const sealed = Type.Boolean({
  description: "A sealed value is encrypted at rest, passed only to the setup command, and never returned.",
});

/** The value of a sealed variable is null in every response. */
export const Environment = Type.Record(Type.String(), strictObject({ value: nullable(value), sealed }), {
  title: "Environment",
  description: "Variables for the setup command, the checks and the agent, by name.",
});
export type Environment = Static<typeof Environment>;

/** A string sets a plain variable; null deletes it. Omitted names stay unchanged. */
export const environmentPatch = Type.Record(
  Type.String(),
  nullable(Type.Union([value, strictObject({ value, sealed: Type.Optional(sealed) })])),
  {
    title: "EnvironmentPatch",
    description:
      "Variables by name. A string is a plain value; `{value, sealed: true}` is encrypted; null deletes the variable.",
  },
);
export type EnvironmentPatch = Static<typeof environmentPatch>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Reserved names: they decide which programs or code run, or they belong to the worker. */
const RESERVED = new Set(
  "__PROTO__ PATH HOME TMPDIR SHELL IFS ENV BASH_ENV CI TERM USER LOGNAME PWD NODE_OPTIONS NODE_PATH PYTHONSTARTUP PERL5OPT RUBYOPT".split(
    " ",
  ),
);
const RESERVED_PREFIXES = ["LD_", "DYLD_", "GIT_", "TRIPTYCH_", "BASH_FUNC_"];

export function environmentNameIssue(name: string): string | null {
  if (name.length > ENVIRONMENT_NAME_MAX) return `is longer than ${ENVIRONMENT_NAME_MAX} characters`;
  if (!NAME.test(name)) return "must consist of letters, digits and underscores, and not start with a digit";
  const upper = name.toUpperCase();
  if (RESERVED.has(upper) || RESERVED_PREFIXES.some((prefix) => upper.startsWith(prefix))) return "is reserved";
  return null;
}
