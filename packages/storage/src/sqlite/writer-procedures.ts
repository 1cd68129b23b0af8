/**
 * Stored procedures for SQLite: a synchronous function runs inside the writer, in its own savepoint, so that hundreds
 * of statements cost one round trip. It blocks other writers. A module exports `procedures`, an `OpenProcedures`. The
 * writer thread loads it with its imports: keep it small. Input and output are cloned.
 */
import type { Value } from "../statement.ts";

/** Prepares its statements once per connection, in a closure. */
export type OpenProcedures = (statements: Statements) => Readonly<Record<string, Procedure>>;

/** If it throws, its writes are rolled back, and the caller gets an error with the same message. */
export type Procedure = (input: never) => unknown;

export interface Statements {
  prepare<Found = never>(sql: string): PreparedStatement<Found>;
}

export interface PreparedStatement<Found> {
  all(...parameters: readonly Value[]): readonly Found[];
  first(...parameters: readonly Value[]): Found | undefined;
  run(...parameters: readonly Value[]): number;
  /**
   * For an `insert` whose parameters are only column values: a strict table converts numbers to integers. Elsewhere
   * they would be floats; see `toBinding`. A tenth faster.
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
  /** Must run before the first call of a module; errors of the module are reported by the call. */
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
      // The caller chose the module and its input type; this layer cannot check it.
      return verb(input as never);
    },
  };
}
