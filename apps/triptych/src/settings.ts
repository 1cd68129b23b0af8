/** The variables of services, worker, MCP server and notifier, without loading any of them. */
import { defineSettings, type Settings, type Variable } from "@triptych/config";

const LOADERS = {
  panel: async () => (await import("@triptych/panel/config")).settings,
  directory: async () => (await import("@triptych/directory/config")).settings,
  gateway: async () => (await import("@triptych/gateway/config")).settings,
  router: async () => (await import("@triptych/router/config")).settings,
  rail: async () => (await import("@triptych/rail/config")).settings,
  worker: async () => defineSettings("worker", (await import("@triptych/worker/config")).WorkerConfig),
  mcp: async () => defineSettings("mcp", (await import("@triptych/mcp/config")).McpConfig),
  notify: async () => defineSettings("notify", (await import("@triptych/notify/config")).NotifyConfig),
} as const;

export type ConfigurableName = keyof typeof LOADERS;

export const CONFIGURABLE: readonly ConfigurableName[] = [
  "panel",
  "directory",
  "gateway",
  "router",
  "rail",
  "worker",
  "mcp",
  "notify",
];

export function loadSettings(names: readonly ConfigurableName[] = CONFIGURABLE): Promise<readonly Settings[]> {
  return Promise.all(names.map((name) => LOADERS[name]()));
}

/** A variable with the names of all services that read it with the same meaning and default. */
export type Shared<V extends Variable> = V & { readonly readBy: readonly string[] };

export function mergeVariables<V extends Variable>(
  lists: readonly { readonly service: string; readonly variables: readonly V[] }[],
): readonly Shared<V>[] {
  const found = new Map<string, Shared<V>>();
  for (const { service, variables } of lists)
    for (const variable of variables) {
      const key = JSON.stringify([variable.name, variable.meaning, variable.default, variable.unset]);
      found.set(key, { ...variable, readBy: [...(found.get(key)?.readBy ?? []), service] });
    }
  return [...found.values()];
}

export interface Group<V extends Variable> {
  readonly readBy: readonly string[];
  readonly variables: readonly Shared<V>[];
}

/** Groups the variables that the same services read; variables of most services come first. */
export function groupVariables<V extends Variable>(variables: readonly Shared<V>[]): readonly Group<V>[] {
  const groups = new Map<string, Group<V>>();
  for (const variable of variables) {
    const { readBy } = variable;
    const key = readBy.join(", ");
    groups.set(key, { readBy, variables: [...(groups.get(key)?.variables ?? []), variable] });
  }
  return [...groups.values()].sort((a, b) => b.readBy.length - a.readBy.length);
}
