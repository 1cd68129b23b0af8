/** `/llms.txt`: a plain-text description of the service for agents, generated from its contract. */
import type { Endpoint, ServiceContract } from "@triptych/contracts";

const MOST_VALUES = 40;

export function llmsGuide(contract: ServiceContract, url: string): string {
  const carriers = Object.values(contract.credentials).flat();
  return [
    `# ${contract.title}`,
    "",
    `> ${contract.description}`,
    "",
    `Base URL: ${url}. JSON in UTF-8. Errors are RFC 9457 problems: read \`code\`, \`detail\` and, for 400, \`errors\` (all issues of the request).`,
    ...(carriers.length > 0
      ? ["", "## Authentication (use one)", ...carriers.map((carrier) => `- ${carrier.description}`)]
      : []),
    "",
    "## Endpoints",
    ...contract.endpoints.flatMap(describeEndpoint),
    "",
    "## Reference",
    `- OpenAPI 3.1: ${url}/openapi.json`,
    `- HTML reference: ${url}/docs`,
    "",
  ].join("\n");
}

function describeEndpoint(endpoint: Endpoint): string[] {
  const parameters = Object.entries(endpoint.query?.properties ?? {}).map(([name, schema]) => {
    const description: unknown = (schema as Record<string, unknown>)["description"];
    return `  - ${name}${typeof description === "string" ? `: ${description}` : ""}${formatEnum(schema)}`;
  });
  return [
    `- ${endpoint.method} ${endpoint.path}: ${endpoint.summary}.${endpoint.auth === null ? "" : " Requires a credential."}`,
    ...parameters,
    ...(endpoint.examples ?? []).map((example) => `  - example: ${example}`),
  ];
}

function formatEnum(schema: object): string {
  const { enum: values, items } = schema as { readonly enum?: unknown; readonly items?: object };
  if (Array.isArray(values)) return values.length > MOST_VALUES ? "" : ` (${values.join(", ")})`;
  return items === undefined ? "" : formatEnum(items);
}
