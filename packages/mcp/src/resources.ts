/** Resources: documents that an agent reads by URI. */
import { ErrorCode, McpError, type ReadResourceResult } from "@modelcontextprotocol/sdk/types.js";
import { ProblemError } from "@triptych/client";
import { getHeadCard, getItem, getRunDiff, getRunStatement, type Endpoint } from "@triptych/contracts";
import { toPageText } from "./page-text.ts";
import { toErrorText } from "./problem-text.ts";
import type { Services } from "./services.ts";
import type { ServiceName } from "./tool-table.ts";
import { createBoundary } from "./untrusted.ts";

interface ResourceRow {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  readonly service: ServiceName;
  readonly endpoint: Endpoint;
}

const ROWS: readonly ResourceRow[] = [
  {
    uriTemplate: "directory://{type}/{slug}",
    name: "directory item",
    description: "An actor, place or article of the directory, by its type and slug.",
    mimeType: "application/json",
    service: "directory",
    endpoint: getItem,
  },
  {
    uriTemplate: "head://{id}/card",
    name: "model card",
    description: "The model card of a trained head.",
    mimeType: "text/markdown",
    service: "decisions",
    endpoint: getHeadCard,
  },
  {
    uriTemplate: "run://{id}/diff",
    name: "run diff",
    description: "The change of a run as a unified diff; empty for a run without a change.",
    mimeType: "text/x-diff",
    service: "panel",
    endpoint: getRunDiff,
  },
  {
    uriTemplate: "run://{id}/statement",
    name: "run statement",
    description: "The signed statement of a pushed run: a DSSE envelope over an in-toto Statement v1.",
    mimeType: "application/json",
    service: "panel",
    endpoint: getRunStatement,
  },
];

/** JSON-RPC code of the Model Context Protocol for an unknown resource. */
const RESOURCE_NOT_FOUND = -32002;

export function listResourceTemplates() {
  return ROWS.map(({ uriTemplate, name, description, mimeType }) => ({ uriTemplate, name, description, mimeType }));
}

/** The document is in its own block; the blocks before and after it mark it as data. */
export async function readResource(uri: string, services: Services, signal: AbortSignal): Promise<ReadResourceResult> {
  for (const row of ROWS) {
    const params = paramsIn(uri, row.uriTemplate);
    if (params === null) continue;
    const service = services(row.service);
    const input = { params, signal };
    const reply: { readonly body: unknown } = await service.client.call(row.endpoint, input).catch((error: unknown) => {
      const isMissing = error instanceof ProblemError && error.status === 404;
      const code = isMissing ? RESOURCE_NOT_FOUND : ErrorCode.InternalError;
      throw new McpError(code, toErrorText(error, service));
    });
    const { text, note } = toPageText(reply.body ?? "", {}, {});
    const { begin, end } = createBoundary(service.title);
    const after = note === undefined ? end : `${end}\n${note}`;
    return {
      contents: [
        { uri, mimeType: "text/plain", text: begin },
        { uri, mimeType: row.mimeType, text },
        { uri, mimeType: "text/plain", text: after },
      ],
    };
  }
  throw new McpError(RESOURCE_NOT_FOUND, `No resource has the URI ${uri}.`);
}

/** Values of a template's variables, or null if the URI does not match. */
function paramsIn(uri: string, template: string): Record<string, string> | null {
  const pattern = template.replaceAll(/\{(\w+)\}/g, "(?<$1>[\\w-]+)");
  const groups = new RegExp(`^${pattern}$`).exec(uri)?.groups;
  return groups === undefined ? null : { ...groups };
}
