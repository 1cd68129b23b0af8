/**
 * Imports modules that the operator installs. No import statement names them, so neither the installation nor the start
 * depends on them.
 */

export interface OptionalModule {
  /** How an error message refers to the module. */
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

/** Whether the module itself is missing. A missing dependency of the module is another error. */
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

/** Why a sentence encoder cannot be used. The message tells the operator what to do. */
export class EncoderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderError";
  }
}
