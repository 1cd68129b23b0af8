/** Documents and pages beside the API: the OpenAPI document and the docs under `/api`, the map, its former address. */
import { openApiDocument, type Server } from "@triptych/server";
import type { Caller } from "./caller.ts";

export function mountDocuments(server: Server<Caller>): void {
  server.mountDocument("/api/openapi.json", () => openApiDocument(server.contract, { url: server.url() }));
  server.mountDocument("/api/docs", (_request, reply) => reply.redirect("/docs", 308));
  server.mountDocument("/map", (_request, reply) => reply.redirect("/carte", 308));
}
