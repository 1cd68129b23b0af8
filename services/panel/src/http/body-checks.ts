/** Body checks beyond the schema. Their issues are reported together with the schema's. */
import type { Endpoint } from "@triptych/contracts";
import type { RequestHandler, ValidatingHandler, ValidationErrors } from "@triptych/server";
import type { Caller } from "./caller.ts";

/** `body`: the raw body; only the checked members need the right type. */
export type BodyCheck = (body: unknown, errors: ValidationErrors) => void;

export function checked<E extends Endpoint>(
  handler: RequestHandler<E, Caller> | ValidatingHandler<E, Caller>,
  ...checks: readonly BodyCheck[]
): ValidatingHandler<E, Caller> {
  return {
    handle(context, errors) {
      for (const check of checks) check(context.body, errors);
      if (typeof handler === "object") return handler.handle(context, errors);
      errors.refuse();
      return handler(context);
    },
  };
}

export interface SentText {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** The text at a JSON pointer, or each text of a list there. Empty for another type. */
export function textsAt(body: unknown, pointer: string): readonly SentText[] {
  const names = pointer.slice(1).split("/");
  const last = names.at(-1) ?? "";
  const value = names.reduce<unknown>((part, name) => memberOf(part, name), body);
  if (typeof value === "string") return [{ path: pointer, name: last, text: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((text: unknown, at) =>
    typeof text === "string" ? [{ path: `${pointer}/${at}`, name: `${last}[${at}]`, text }] : [],
  );
}

function memberOf(part: unknown, name: string): unknown {
  if (typeof part !== "object" || part === null || !Object.hasOwn(part, name)) return undefined;
  return Reflect.get(part, name);
}
