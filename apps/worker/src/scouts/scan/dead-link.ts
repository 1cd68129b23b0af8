/** Dead links in READMEs. */
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { scopeOfAddress } from "@triptych/util/addresses";
import { titleOf } from "../finding.ts";
import { addressesOf, deadLinksOf } from "../reading/dead-links.ts";
import { readmesOf } from "../reading/kinds.ts";
import { isGone, type Fetch } from "../reading/reach-address.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";

export const deadLink: Check = {
  name: "dead_link",
  async run({ tree, fetch }) {
    const rawFindings: RawFinding[] = [];
    const missed: string[] = [];
    for (const file of readmesOf(tree)) {
      const dead = await deadLinksOf(tree, file);
      rawFindings.push(
        ...firstOfEach(dead).map(({ target, line, missing }) =>
          toRawFinding(file, target, { line, why: `a ${missing} that does not exist` }),
        ),
      );
      const addresses = firstOfEach(await addressesOf(tree, file));
      if (fetch === null && addresses.length > 0)
        missed.push(
          `${addresses.length} external links of ${file} were not checked: the network policy of this repository is not open`,
        );
      if (fetch !== null) rawFindings.push(...(await findGoneLinks(file, addresses, { fetch, missed })));
    }
    return foundBy("dead_link", SCORE, rawFindings, missed);
  },
};

const SCORE = 0.7;
const ADDRESSES_MAX = 100;
const CONCURRENCY_MAX = 8;

interface LinkRequests {
  readonly fetch: Fetch;
  readonly missed: string[];
}

async function findGoneLinks(
  file: string,
  links: readonly { readonly target: string; readonly line: number }[],
  { fetch, missed }: LinkRequests,
): Promise<readonly RawFinding[]> {
  const checked = links.slice(0, ADDRESSES_MAX);
  const goneByTarget = new Map<string, boolean | null>();
  const lanes = Array.from({ length: CONCURRENCY_MAX }, async (_, lane) => {
    for (let index = lane; index < checked.length; index += CONCURRENCY_MAX) {
      const { target } = checked[index];
      goneByTarget.set(target, isPrivate(target) ? null : await isGone(target, fetch));
    }
  });
  await Promise.all(lanes);
  const unreachable =
    checked.filter(({ target }) => goneByTarget.get(target) === null).length + links.length - checked.length;
  if (unreachable > 0) missed.push(`${unreachable} external links of ${file} could not be reached`);
  return checked
    .filter(({ target }) => goneByTarget.get(target) === true)
    .map(({ target, line }) => toRawFinding(file, target, { line, why: "a page that no longer exists" }));
}

/** Refuses such targets, because untrusted text must not make this machine send requests to its private network. */
function isPrivate(target: string): boolean {
  // `localhost.` is `localhost`.
  const host = (URL.parse(target)?.hostname ?? "").replace(/\.$/, "");
  const scope = scopeOfAddress(host.replace(/^\[(.*)\]$/, "$1"));
  if (scope !== null) return scope === "private";
  return !host.includes(".") || /\.(?:local|internal|localhost)$/.test(host);
}

function firstOfEach<T extends { readonly target: string }>(links: readonly T[]): readonly T[] {
  return [...new Map(links.toReversed().map((link) => [link.target, link])).values()].toReversed();
}

function toRawFinding(
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
