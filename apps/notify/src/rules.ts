/** The file of rules: which events of which repositories go to which targets. Reports every issue at once. */
import { readFileSync } from "node:fs";
import { createMatcher, globIssue } from "@triptych/change-policy";
import type { Environment } from "@triptych/config";
import { isRecord } from "@triptych/util";
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { parseDocument } from "yaml";
import { EVENT_TYPES, type EventType, type NotifyEvent } from "./event.ts";
import { createTarget, TARGET_SCHEMAS, type TargetConfig } from "./target-config.ts";
import type { Target } from "./targets/target.ts";

const FILE_BYTES_MAX = 1_048_576;

const RuleConfig = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    events: Type.Array(Type.Enum([...EVENT_TYPES]), { minItems: 1 }),
    repos: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100 })),
    to: Type.Array(Type.Object({ type: Type.Enum(["webhook", "slack", "ntfy", "email"]) }), {
      minItems: 1,
      maxItems: 20,
    }),
  },
  { additionalProperties: false },
);
const RulesConfig = Type.Object(
  {
    panel_url: Type.Optional(Type.String({ pattern: "^https?://[^/?#\\s]+(/[^?#\\s]*)?$" })),
    rules: Type.Array(RuleConfig, { minItems: 1, maxItems: 100 }),
  },
  { additionalProperties: false },
);

export interface Rule {
  readonly name: string;
  readonly events: readonly EventType[];
  readonly targets: readonly Target[];
  matches(event: Pick<NotifyEvent, "type" | "repo">): boolean;
}

export interface Rules {
  /** Address of the dashboard in links; null: that of the API. */
  readonly panelUrl: string | null;
  readonly rules: readonly Rule[];
  /** By ID; each target appears once. */
  readonly targets: ReadonlyMap<string, Target>;
}

/** Exit code 2. */
export class RulesError extends Error {
  readonly issues: readonly string[];
  constructor(file: string, issues: readonly string[]) {
    super(`${file} is not valid:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
    this.issues = issues;
  }
}

export function readRules(file: string, environment: Environment): Rules {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new RulesError(file, [`the file cannot be read (${code}). docs/notifications.md has an example`]);
  }
  if (text.length > FILE_BYTES_MAX) throw new RulesError(file, [`the file is larger than ${FILE_BYTES_MAX} bytes`]);
  return parseRules(text, { file, environment });
}

export interface RulesSource {
  /** For messages. */
  readonly file: string;
  readonly environment: Environment;
}

export function parseRules(text: string, { file, environment }: RulesSource): Rules {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    throw new RulesError(
      file,
      document.errors.map(({ message }) => message.split("\n")[0] ?? ""),
    );
  // The library's `maxAliasCount` rejects documents whose aliases expand without limit.
  const content: unknown = document.toJS();
  const issues = issuesOf(RulesConfig, content, "");
  issues.push(...targetIssues(content));
  const config = Value.Check(RulesConfig, content) ? content : null;
  const targets = new Map<string, Target>();
  const rules = (config?.rules ?? looseRules(content)).map((rule, at) =>
    ruleOf(rule, { name: rule.name ?? `rule-${at + 1}`, path: `rules[${at}]`, environment, issues, targets }),
  );
  issues.push(...doubleNames(rules));
  if (config === null || issues.length > 0) throw new RulesError(file, [...new Set(issues)]);
  return { panelUrl: config.panel_url ?? null, rules, targets };
}

interface RuleContext {
  readonly name: string;
  readonly path: string;
  readonly environment: Environment;
  readonly issues: string[];
  readonly targets: Map<string, Target>;
}

type LooseRule = Pick<Static<typeof RuleConfig>, "name" | "events" | "repos"> & { readonly to: readonly unknown[] };

/** The valid parts of an invalid file, so that issues in their values are reported too. */
function looseRules(content: unknown): readonly LooseRule[] {
  return listIn(content, "rules").map((rule) => {
    const repos = listIn(rule, "repos").filter((glob) => typeof glob === "string");
    return { events: [], repos, to: listIn(rule, "to") };
  });
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = isRecord(value) ? value[name] : null;
  return Array.isArray(list) ? list : [];
}

function ruleOf(config: LooseRule, { name, path, environment, issues, targets }: RuleContext): Rule {
  const { events, repos = ["**"], to } = config;
  for (const [at, glob] of repos.entries()) {
    const issue = globIssue(glob);
    if (issue !== null) issues.push(`${path}.repos[${at}]: ${issue}`);
  }
  const own = to.flatMap((target, at) => {
    if (!isTarget(target)) return [];
    const onIssue = (property: string, issue: string) => void issues.push(`${path}.to[${at}]${property}: ${issue}`);
    const created = createTarget(target, { environment, onIssue });
    if (created === null) return [];
    const known = targets.get(created.id) ?? created;
    targets.set(known.id, known);
    return [known];
  });
  const isRepo = createMatcher(repos);
  return {
    name,
    events,
    targets: [...new Set(own)],
    // `repos` does not restrict events of workers and quotas, which belong to the account.
    matches: ({ type, repo }) => events.some((event) => event === type) && (repo === null || isRepo(repo)),
  };
}

function isTarget(target: unknown): target is TargetConfig {
  const schema = isRecord(target) ? schemaOf(target["type"]) : null;
  return schema !== null && Value.Check(schema, target);
}

function targetIssues(content: unknown): readonly string[] {
  return listIn(content, "rules").flatMap((rule, ruleAt) =>
    listIn(rule, "to").flatMap((target, at) => {
      const schema = isRecord(target) ? schemaOf(target["type"]) : null;
      return schema === null ? [] : issuesOf(schema, target, `rules[${ruleAt}].to[${at}]`);
    }),
  );
}

function schemaOf(type: unknown): TSchema | null {
  const found = Object.entries(TARGET_SCHEMAS).find(([name]) => name === type);
  return found?.[1] ?? null;
}

function issuesOf(schema: TSchema, value: unknown, at: string): string[] {
  return Value.Errors(schema, value).map((error) => {
    const path = error.instancePath
      .split("/")
      .slice(1)
      .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`));
    const where = `${at}${path.join("")}`.replace(/^\./, "");
    const allowed = error.keyword === "enum" ? `: ${error.params.allowedValues.join(", ")}` : "";
    return `${where === "" ? "file" : where}: ${error.message}${detailsOf(error)}${allowed}`;
  });
}

function detailsOf({ params }: { readonly params: object }): string {
  const names = "additionalProperties" in params ? params.additionalProperties : null;
  return Array.isArray(names) ? ` (${names.join(", ")})` : "";
}

function doubleNames(rules: readonly Rule[]): readonly string[] {
  const names = rules.map(({ name }) => name);
  return names.flatMap((name, at) =>
    names.indexOf(name) < at ? [`rules[${at}].name: \`${name}\` is the name of another rule`] : [],
  );
}
