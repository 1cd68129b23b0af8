/** `/` of the router: three example decisions and links. */
import { REFERENCE, type Home, type PageLink } from "@triptych/server";

const OWN: readonly PageLink[] = [
  {
    path: "/playground",
    label: "Playground",
    about: "Type something and see what is decided, how sure, and which words it was.",
  },
];

export const PAGES: readonly PageLink[] = [...OWN, REFERENCE];

export const routerHome: Home = {
  links: OWN,
  commands: (url) => [
    { say: "What is to be done with a request, and where it goes.", run: ask(url, "route") },
    { say: "Is it to be handed over to a person or a stronger model?", run: ask(url, "noul") },
    { say: "Who decides: the experts that can be named.", run: `curl "${url}/v1/experts"` },
  ],
};

function ask(url: string, operation: string): string {
  return `curl -H 'Content-Type: application/json' -d '{"state":"I was charged twice, refund me"}' "${url}/v1/${operation}"`;
}
