import type { Home, PageLink } from "@triptych/server";

const OWN: readonly PageLink[] = [
  {
    path: "/playground",
    label: "Playground",
    about: "Enter a text to see the decision, its confidence and the words behind it.",
  },
];

export const routerHome: Home = {
  links: OWN,
  commands: (url) => [
    { say: "Decide the action and the route of a request.", run: ask(url, "route") },
    { say: "Decide whether to escalate to a person or a stronger model.", run: ask(url, "noul") },
    { say: "List the available experts.", run: `curl "${url}/v1/experts"` },
  ],
};

function ask(url: string, operation: string): string {
  return `curl -H 'Content-Type: application/json' -d '{"state":"I was charged twice, refund me"}' "${url}/v1/${operation}"`;
}
