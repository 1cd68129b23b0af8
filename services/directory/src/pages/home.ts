/** `/` of the directory: three calls that answer, and where its pages are. */
import type { Home, PageLink } from "@triptych/server";

export const PAGES: readonly PageLink[] = [
  {
    path: "/carte",
    label: "Map",
    about: "The items that are somewhere, with the same filters and the list beside them.",
  },
];

export const directoryHome: Home = {
  links: PAGES,
  commands: (url) => [
    { say: "What this directory holds and how it is asked; no key needed.", run: `curl "${url}/api"` },
    {
      say: "Places of a région, with a key. The file credentials.json in the data folder holds one for trying out.",
      run: `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${url}/api/items?type=place&region=bretagne"`,
    },
    {
      say: "Words, with accents and endings as they come.",
      run: `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${url}/api/items?q=cathedrales%20gothiq"`,
    },
  ],
};
