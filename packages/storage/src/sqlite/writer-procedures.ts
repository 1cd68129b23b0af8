/**
 * Stored procedures for SQLite: a synchronous function runs inside the writer, in its own savepoint, so that hundreds
 * of statements cost one round trip. It blocks other writers. A module exports `procedures`, an `OpenProcedures`. Keep
 * the module small, because the writer thread loads it with its imports. Input and output are cloned.
 */
import type { Value } from "../statement.ts";

/** Called once per connection: prepares the statements, and returns procedures that use them. */
export type OpenProcedures = (statements: Statements) => Readonly<Record<string, Procedure>>;

/** If a procedure throws, its writes are rolled back, and the caller gets an error with the same message. */
export type Procedure = (input: never) => unknown;

export interface Statements {
  prepare<Found = never>(sql: string): PreparedStatement<Found>;
}

export interface PreparedStatement<Found> {
  all(...parameters: readonly Value[]): readonly Found[];
  first(...parameters: readonly Value[]): Found | undefined;
  run(...parameters: readonly Value[]): number;
  /**
   * Only for an `insert` whose parameters are all column values: a strict table converts the numbers to integers.
   * Elsewhere they would be floats; see `toBinding`. A tenth faster than `run`.
   */
  insert(...parameters: readonly Value[]): void;
}

export interface ProcedureName {
  /** URL of the module, `new URL("./module.ts", import.meta.url)`. */
  readonly module: URL;
  readonly name: string;
}

export interface Procedures {
  call<Output>(procedure: ProcedureName, input: unknown): Promise<Output>;
}

export interface ProcedureCall {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

export interface LoadedProcedures {
  /** Must run before the first call of a procedure in the module. Errors of the module are reported by that call. */
  load(module: string): Promise<void>;
  call(call: ProcedureCall): unknown;
}

type Loaded = { readonly verbs: Readonly<Record<string, Procedure>> } | { readonly error: unknown };

export function loadProcedures(statements: Statements): LoadedProcedures {
  const modules = new Map<string, Loaded>();

  return {
    async load(module) {
      if (modules.has(module)) return;
      try {
        const { procedures } = (await import(module)) as { readonly procedures?: unknown };
        if (typeof procedures !== "function") throw new Error(`${module} exports no function named procedures.`);
        modules.set(module, { verbs: (procedures as OpenProcedures)(statements) });
      } catch (error) {
        modules.set(module, { error });
      }
    },
    call({ module, name, input }) {
      const loaded = modules.get(module);
      if (loaded === undefined) throw new Error(`The module ${module} was not loaded.`);
      if ("error" in loaded) throw loaded.error;
      const verb = loaded.verbs[name];
      if (verb === undefined) throw new Error(`${module} has no procedure ${name}.`);
      // The caller chose the module and its input type, which cannot be checked here.
      return verb(input as never);
    },
  };
}
