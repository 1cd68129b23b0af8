/** All training rows of the options scorer, and the texts that its IDF counts. */
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import { FORMS, readChoiceRows, type NamedChoiceRow } from "./choice-rows.ts";
import type { DataFolder } from "./data-folder.ts";
import { readFunctionCalls, type FunctionCallRow } from "./function-calls.ts";
import { resized, yesOrNo } from "./option-sets.ts";
import { plainSets } from "./plain-sets.ts";
import { readToolbook } from "./toolbook.ts";

export interface OptionRows {
  /** Requests with functions, with a JSON Schema, full strings and names. */
  readonly requests: readonly NamedChoiceRow[];
  readonly calls: readonly FunctionCallRow[];
  readonly rows: readonly ChoiceRow[];
  readonly documents: readonly string[];
}

export function readOptionRows(data: DataFolder, trunk: Trunk, { quick = false } = {}): OptionRows {
  const forms = FORMS.map((form) => readChoiceRows(data, form));
  const [schema, , names] = forms;
  const requests = forms.flat();
  const bare = names.map((row) => ({
    ...row,
    options: row.options.map((option) => ({ ...option, parameters: [] })),
  }));
  const generated = quick ? [] : [...yesOrNo(schema), ...resized(schema, trunk), ...resized(names, trunk)];
  const calls = readFunctionCalls(data);
  return {
    requests,
    calls,
    rows: [...requests, ...calls, ...bare, ...generated, ...plainSets(data, { quick })],
    documents: documentsOf(schema),
  };
}

/** The French texts of the toolbook are included because every French word would otherwise be rare. */
function documentsOf(rows: readonly ChoiceRow[]): readonly string[] {
  const offered = rows.flatMap(({ options }) =>
    options.map(({ label, description, parameters }) =>
      [label, description, ...parameters.map(({ text }) => text)].join("\n"),
    ),
  );
  const french = readToolbook().flatMap(({ tools }) =>
    tools.flatMap(({ description_fr: description, fr }) => [description, ...fr]),
  );
  return [...rows.map(({ text }) => text), ...offered, ...french];
}
