import type { ServiceContract } from "../endpoint.ts";
import { getDiscovery, getItem, getItems, getMeta, getUsage, suggest } from "./endpoints.ts";

export const directoryContract: ServiceContract = {
  name: "directory",
  title: "Triptych directory",
  description:
    "Read-only JSON API for actors, places and articles of the French départements and régions, with filters, French full-text search and radius search. Free to explore (Discovery), billed by volume (Pro).",
  version: "1",
  endpoints: [getDiscovery, getMeta, getItems, suggest, getItem, getUsage],
  tags: [
    {
      name: "Items",
      description: "Actors, places and articles: search, filters, formats.",
      paths: ["/api/items", "/api/suggest", "/api/item"],
    },
    {
      name: "Directory",
      description: "Information about the API: overview, statistics, closed lists.",
      paths: ["/api"],
    },
    {
      name: "Usage",
      description: "Requests and items of an API key.",
      paths: ["/api/usage"],
    },
  ],
  credentials: {
    key: [
      { in: "bearer", description: "Authorization: Bearer <API_KEY>" },
      { in: "header", name: "X-API-Key", description: "X-API-Key: <API_KEY>" },
      { in: "query", name: "key", description: "?key=<API_KEY>, for clients that cannot set a header" },
    ],
  },
};
