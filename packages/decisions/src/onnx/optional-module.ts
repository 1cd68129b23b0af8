/** Modules that the operator installs: nothing imports them by name, so neither an install nor a start depends on them. */

export interface OptionalModule {
  /** What stands in the message when it is missing. */
  readonly label: string;
  /** Name or URL to import. */
  readonly name: string;
  readonly install: string;
}

export async function importOptional({ label, name, install }: OptionalModule): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    if (isAbsent(error, name))
      throw new EncoderError(
        `A sentence encoder requires ${label}, which is not included in the router. Install it: ${install}`,
        { cause: error },
      );
    throw new EncoderError(`${label} is installed but fails to load: ${firstLine(error)}`, { cause: error });
  }
}

/** Its own dependencies may be missing too: that is another error. */
function isAbsent(error: unknown, name: string): boolean {
  const isNotFound = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  return isNotFound && error.message.includes(`'${name}'`);
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}

export function memberOf(value: unknown, name: string): unknown {
  const hasMembers = (typeof value === "object" && value !== null) || typeof value === "function";
  return hasMembers ? Reflect.get(value, name) : undefined;
}

/** Why a sentence encoder cannot be used: one sentence for the operator with the remedy. */
export class EncoderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderError";
  }
}
