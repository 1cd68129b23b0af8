/**
 * Work that runs beside the data: a function of a module of the service, called by name inside the writer, in a savepoint of its own
 * and committed with its neighbours. It reads and writes with prepared statements, without a message and a promise for each, so a
 * piece of work that needs hundreds of statements is one message there and one back. It is synchronous: nobody else writes meanwhile.
 *
 * A module exports `procedures`, an `OpenProcedures`. It is loaded in the writer's thread when first called, so whatever it imports is
 * loaded there once more: it should be little. Input and output are cloned on their way.
 */
import type { Value } from "../statement.ts";

/** Holds its statements in a closure: they are prepared once for the connection. */
export type OpenProcedures = (statements: Statements) => Readonly<Record<string, Procedure>>;

/** What it throws is undone with everything that it wrote, and reaches the caller as an error of the same message. */
export type Procedure = (input: never) => unknown;

export interface Statements {
  prepare<Found = never>(sql: string): PreparedStatement<Found>;
}

export interface PreparedStatement<Found> {
  all(...parameters: readonly Value[]): readonly Found[];
  first(...parameters: readonly Value[]): Found | undefined;
  /** Answers how many rows were changed. */
  run(...parameters: readonly Value[]): number;
  /**
   * The same for an `insert` whose parameters are values of columns and nothing else: a number is handed over as it is, and the column of
   * a strict table makes an integer of it. Elsewhere it would be a float; see `toBinding`. A tenth cheaper where rows come by thousands.
   */
  insert(...parameters: readonly Value[]): void;
}

export interface ProcedureName {
  /** Address of the module, `new URL("./module.ts", import.meta.url)`. */
  readonly module: URL;
  readonly name: string;
}

export interface Procedures {
  /** Resolves after the commit. */
  call<Output>(procedure: ProcedureName, input: unknown): Promise<Output>;
}

/** The same on its way to the writer. */
export interface ProcedureCall {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

export interface LoadedProcedures {
  /** Before the first call of each module; what is wrong with a module is said by the call. */
  load(module: string): Promise<void>;
  isLoaded(module: string): boolean;
  call(call: ProcedureCall): unknown;
}

type Loaded = { readonly verbs: Readonly<Record<string, Procedure>> } | { readonly fault: unknown };

export function loadProcedures(statements: Statements): LoadedProcedures {
  const modules = new Map<string, Loaded>();

  return {
    isLoaded: (module) => modules.has(module),
    async load(module) {
      try {
        const { procedures } = (await import(module)) as { readonly procedures?: unknown };
        if (typeof procedures !== "function") throw new Error(`${module} exports no function named procedures.`);
        modules.set(module, { verbs: (procedures as OpenProcedures)(statements) });
      } catch (fault) {
        modules.set(module, { fault });
      }
    },
    call({ module, name, input }) {
      const loaded = modules.get(module);
      if (loaded === undefined) throw new Error(`The module ${module} was not loaded.`);
      if ("fault" in loaded) throw loaded.fault;
      const verb = loaded.verbs[name];
      if (verb === undefined) throw new Error(`${module} has no procedure ${name}.`);
      // The caller names the module and what it takes: nothing between them can know more.
      return verb(input as never);
    },
  };
}
