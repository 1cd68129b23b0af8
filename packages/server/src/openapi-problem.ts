/** The problem of every service as a published schema. */
import { problems } from "@triptych/contracts";

export const problemSchema = {
  title: "Problem",
  description: "RFC 9457 problem details. `code` is a code of the catalog; additional members depend on it.",
  type: "object",
  required: ["type", "title", "status", "code", "detail", "instance", "request_id"],
  properties: {
    type: { type: "string", format: "uri", description: "URL of a page that explains the problem" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(problems) },
    detail: { type: "string" },
    instance: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      description: "all issues of the request",
      items: {
        type: "object",
        required: ["path", "message", "reason"],
        properties: {
          path: { type: "string", description: "JSON pointer, `?parameter` or `header:Name`" },
          message: { type: "string" },
          reason: { type: "string" },
          allowed: { type: "array", items: { type: "string" } },
          suggestions: { type: "array", items: { type: "string" } },
        },
      },
    },
  },
};
