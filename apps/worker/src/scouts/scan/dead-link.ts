/** Dead links in READMEs. */
import { gateLine } from "../../gate-command/gate-registry.ts";
import { truncate, titleOf } from "../finding.ts";
import { addressesOf, deadLinksOf } from "../reading/dead-links.ts";
import { readmesOf } from "../reading/kinds.ts";
import { isGone, type Fetch } from "../reading/reach-address.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";

export const deadLink: Check = {
  name: "dead_link",
  async run({ tree, fetch }) {
    const roughs: RawFinding[] = [];
    const missed: string[] = [];
    for (const file of readmesOf(tree)) {
      const dead = await deadLinksOf(tree, file);
      roughs.push(
        ...firstOfEach(dead).map(({ target, line, missing }) =>
          roughOf(file, target, { line, why: `to a ${missing} that is not there` }),
        ),
      );
      const addresses = firstOfEach(await addressesOf(tree, file));
      if (fetch === null && addresses.length > 0)
        missed.push(
          `${addresses.length} links of ${file} to other places: the network is not open for this repository`,
        );
      if (fetch !== null) roughs.push(...(await goneOf(file, addresses, { fetch, missed })));
    }
    return foundBy("dead_link", SCORE, roughs, missed);
  },
};

const SCORE = 0.7;
const MOST_ADDRESSES = 100;
const AT_ONCE = 8;

interface Asking {
  readonly fetch: Fetch;
  readonly missed: string[];
}

async function goneOf(
  file: string,
  links: readonly { readonly target: string; readonly line: number }[],
  { fetch, missed }: Asking,
): Promise<readonly RawFinding[]> {
  const checked = links.slice(0, MOST_ADDRESSES);
  const answers = new Map<string, boolean | null>();
  const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
    for (let index = lane; index < checked.length; index += AT_ONCE) {
      const { target } = checked[index];
      answers.set(target, isOurs(target) ? null : await isGone(target, fetch));
    }
  });
  await Promise.all(lanes);
  const unheard = checked.filter(({ target }) => answers.get(target) === null).length + links.length - checked.length;
  if (unheard > 0) missed.push(`${unheard} links of ${file} to other places were not reached`);
  return checked
    .filter(({ target }) => answers.get(target) === true)
    .map(({ target, line }) => roughOf(file, target, { line, why: "to a page that is gone" }));
}

/** Untrusted text must not make this machine send requests to its private network. */
function isOurs(target: string): boolean {
  const host = URL.parse(target)?.hostname ?? "";
  return (
    !host.includes(".") ||
    /^\[|^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|\.(?:local|internal|localhost)$/.test(host)
  );
}

function firstOfEach<T extends { readonly target: string }>(links: readonly T[]): readonly T[] {
  return [...new Map(links.toReversed().map((link) => [link.target, link])).values()].toReversed();
}

function roughOf(
  file: string,
  target: string,
  { line, why }: { readonly line: number; readonly why: string },
): RawFinding {
  return {
    key: [file, target],
    title: titleOf(`Fix the dead link to ${target} in ${file}`, `Fix a dead link in ${file}`, "Fix a dead link"),
    focus: truncate(
      `In ${file}, line ${line}, a link leads to ${target}, ${why}. Let it lead where it was meant to; if there is nothing like that any more, remove the link.`,
      4_000,
    ),
    gate: gateLine("link", file, target),
    category: "docs",
    rationale: `It leads ${why}.`,
    effort: "s",
    risk: "low",
    evidence: [{ path: file, line, excerpt: truncate(target, 200) }],
  };
}
