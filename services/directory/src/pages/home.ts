import type { Home, PageLink } from "@triptych/server";

export const PAGES: readonly PageLink[] = [
  {
    path: "/carte",
    label: "Map",
    about: "Search items on a map, with filters and a list.",
  },
];

export const directoryHome: Home = {
  links: PAGES,
  commands: (url) => [
    { say: "Describe the API; no key required.", run: `curl "${url}/api"` },
    {
      say: "List the places of a région. credentials.json in the data folder contains a demo key.",
      run: `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${url}/api/items?type=place&region=bretagne"`,
    },
    {
      say: "Search text, ignoring accents and word endings.",
      run: `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${url}/api/items?q=cathedrales%20gothiq"`,
    },
  ],
};
