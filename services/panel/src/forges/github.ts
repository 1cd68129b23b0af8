import type { ForgeCall } from "./call.ts";
import type { Forge, ForgePr } from "./forge.ts";
import {
  done,
  errorOf,
  flagOf,
  isDone,
  listOf,
  membersOf,
  numberOf,
  saysExists,
  webUrlOf,
  type Members,
} from "./reading.ts";

export function githubForge(call: ForgeCall, repo: string): Forge {
  const at = `/repos/${repo}`;
  const [owner = ""] = repo.split("/");
  const create = ({ title, body, branch, base }: Parameters<Forge["createPr"]>[0], draft: boolean) =>
    call("POST", `${at}/pulls`, { title, body, head: branch, base, draft });
  return {
    async checkCredential() {
      const { push } = membersOf(membersOf(done(await call("GET", at)))["permissions"]);
      return { push: flagOf(push), openPr: flagOf(push) };
    },
    async findPrsByHead(branch) {
      const query = new URLSearchParams({ state: "all", head: `${owner}:${branch}`, per_page: "100" });
      return listOf(done(await call("GET", `${at}/pulls?${query.toString()}`))).map(toPr);
    },
    async createPr(input) {
      let answer = await create(input, input.draft);
      // Some repositories do not allow drafts; the body states the same.
      if (input.draft && answer.status === 422 && /draft/i.test(JSON.stringify(answer.body)))
        answer = await create(input, false);
      if (saysExists(answer)) throw errorOf(answer, "exists");
      return toPr(membersOf(done(answer)));
    },
    getPr: async (number) => toPr(membersOf(done(await call("GET", `${at}/pulls/${number}`)))),
    async reopenPr(number) {
      const answer = await call("PATCH", `${at}/pulls/${number}`, { state: "open" });
      return isDone(answer) ? toPr(membersOf(answer.body)) : null;
    },
    async decorate(number, { labels, reviewers, assignees }) {
      if (assignees.length > 0) done(await call("POST", `${at}/issues/${number}/assignees`, { assignees }));
      if (labels.length > 0) done(await call("POST", `${at}/issues/${number}/labels`, { labels }));
      if (reviewers.length > 0) done(await call("POST", `${at}/pulls/${number}/requested_reviewers`, { reviewers }));
    },
  };
}

/** Gitea and Forgejo return the same members. */
export function toPr(pull: Members): ForgePr {
  const isMerged = pull["merged"] === true || typeof pull["merged_at"] === "string";
  return {
    number: numberOf(pull["number"]),
    url: webUrlOf(pull["html_url"]),
    state: isMerged ? "merged" : pull["state"] === "open" ? "open" : "closed",
    draft: pull["draft"] === true,
  };
}
