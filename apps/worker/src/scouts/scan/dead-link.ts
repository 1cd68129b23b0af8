/** Dead links in READMEs. */
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
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
          roughOf(file, target, { line, why: `a ${missing} that does not exist` }),
        ),
      );
      const addresses = firstOfEach(await addressesOf(tree, file));
      if (fetch === null && addresses.length > 0)
        missed.push(
          `${addresses.length} external links of ${file} were not checked: the network policy of this repository is not open`,
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
  const unreachable =
    checked.filter(({ target }) => answers.get(target) === null).length + links.length - checked.length;
  if (unreachable > 0) missed.push(`${unreachable} external links of ${file} could not be reached`);
  return checked
    .filter(({ target }) => answers.get(target) === true)
    .map(({ target, line }) => roughOf(file, target, { line, why: "a page that no longer exists" }));
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
      `In ${file}, line ${line}, a link points to ${target}, ${why}. Correct the target; if there is no replacement, remove the link.`,
      4_000,
    ),
    gate: gateLine("link", file, target),
    category: "docs",
    rationale: `It points to ${why}.`,
    effort: "s",
    risk: "low",
    evidence: [{ path: file, line, excerpt: truncate(target, 200) }],
  };
}
