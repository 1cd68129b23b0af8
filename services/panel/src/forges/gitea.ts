import type { ForgeCall } from "./call.ts";
import type { Forge } from "./forge.ts";
import { toPr } from "./github.ts";
import { done, errorOf, flagOf, isDone, listOf, membersOf, saysExists, textOf, type Members } from "./reading.ts";

const PAGE = 50;
const PAGES_MAX = 20;

export function giteaForge(call: ForgeCall, repo: string): Forge {
  const at = `/repos/${repo}`;
  return {
    async checkCredential() {
      const { push } = membersOf(membersOf(done(await call("GET", at)))["permissions"]);
      return { push: flagOf(push), openPr: flagOf(push) };
    },
    async findPrsByHead(branch) {
      // The API cannot filter by branch: search the newest pages.
      const matches: Members[] = [];
      for (let page = 1; page <= PAGES_MAX; page++) {
        const query = new URLSearchParams({
          state: "all",
          sort: "recentupdate",
          page: String(page),
          limit: String(PAGE),
        });
        const pulls = listOf(done(await call("GET", `${at}/pulls?${query.toString()}`)));
        matches.push(...pulls.filter((pull) => isFromRepository(pull, branch)));
        if (pulls.length < PAGE) break;
      }
      return matches.map(toPr).toSorted((a, b) => b.number - a.number);
    },
    async createPr({ title, body, branch, base, draft }) {
      // Drafts are marked by a title prefix.
      const answer = await call("POST", `${at}/pulls`, {
        title: draft ? `WIP: ${title}` : title,
        body,
        head: branch,
        base,
      });
      if (saysExists(answer) || answer.status === 409) throw errorOf(answer, "exists");
      return toPr(membersOf(done(answer)));
    },
    getPr: async (number) => toPr(membersOf(done(await call("GET", `${at}/pulls/${number}`)))),
    async reopenPr(number) {
      const answer = await call("PATCH", `${at}/pulls/${number}`, { state: "open" });
      return isDone(answer) ? toPr(membersOf(answer.body)) : null;
    },
    async decorate(number, { labels, reviewers, assignees }) {
      if (assignees.length > 0) done(await call("PATCH", `${at}/issues/${number}`, { assignees }));
      const existing = labels.length === 0 ? [] : listOf(done(await call("GET", `${at}/labels?limit=${PAGE}`)));
      const ids = existing.filter(({ name }) => labels.includes(textOf(name))).map(({ id }) => id);
      if (ids.length > 0) done(await call("POST", `${at}/issues/${number}/labels`, { labels: ids }));
      if (reviewers.length > 0) done(await call("POST", `${at}/pulls/${number}/requested_reviewers`, { reviewers }));
    },
  };
}

/** Accepts only pull requests from the repository itself, not from a fork with the same branch name. */
function isFromRepository(pull: Members, branch: string): boolean {
  const [head, base] = [membersOf(pull["head"]), membersOf(pull["base"])];
  return head["ref"] === branch && head["repo_id"] === base["repo_id"];
}
