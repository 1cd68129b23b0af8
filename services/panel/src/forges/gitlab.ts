import type { ForgeCall } from "./call.ts";
import type { Forge, ForgePr } from "./forge.ts";
import {
  done,
  errorOf,
  isDone,
  listOf,
  membersOf,
  numberOf,
  saysExists,
  textOf,
  webUrlOf,
  type Members,
} from "./reading.ts";

const DEVELOPER = 30;

export function gitlabForge(call: ForgeCall, path: string): Forge {
  const at = `/projects/${encodeURIComponent(path)}`;
  const requests = `${at}/merge_requests`;
  return {
    async checkCredential() {
      const permissions = membersOf(membersOf(done(await call("GET", at)))["permissions"]);
      const levels = ["project_access", "group_access"].map((name) => membersOf(permissions[name])["access_level"]);
      const mayPush = levels.some((level) => typeof level === "number" && level >= DEVELOPER);
      return { push: mayPush, openPr: mayPush };
    },
    async findPrsByHead(branch) {
      const query = new URLSearchParams({ state: "all", source_branch: branch, per_page: "100" });
      const matches = listOf(done(await call("GET", `${requests}?${query.toString()}`)));
      return matches.filter((match) => match["source_project_id"] === match["target_project_id"]).map(toPr);
    },
    async createPr({ title, body, branch, base, draft, labels }) {
      const answer = await call("POST", requests, {
        source_branch: branch,
        target_branch: base,
        title: draft ? `Draft: ${title}` : title,
        description: body,
        labels: labels.join(","),
      });
      if (saysExists(answer) || answer.status === 409) throw errorOf(answer, "exists");
      return toPr(membersOf(done(answer)));
    },
    getPr: async (number) => toPr(membersOf(done(await call("GET", `${requests}/${number}`)))),
    async reopenPr(number) {
      const answer = await call("PUT", `${requests}/${number}`, { state_event: "reopen" });
      return isDone(answer) ? toPr(membersOf(answer.body)) : null;
    },
    async decorate(number, { reviewers, assignees }) {
      const ids: unknown[] = [];
      const assigneeIds: unknown[] = [];
      for (const username of reviewers) {
        const [user] = listOf(done(await call("GET", `/users?${new URLSearchParams({ username }).toString()}`)));
        if (user !== undefined) ids.push(user["id"]);
        if (user !== undefined && assignees.includes(username)) assigneeIds.push(user["id"]);
      }
      const people = { reviewer_ids: ids, ...(assigneeIds.length > 0 && { assignee_ids: assigneeIds }) };
      if (ids.length > 0) done(await call("PUT", `${requests}/${number}`, people));
    },
  };
}

export function toPr(request: Members): ForgePr {
  const state = textOf(request["state"]);
  return {
    number: numberOf(request["iid"]),
    url: webUrlOf(request["web_url"]),
    state: state === "opened" ? "open" : state === "merged" ? "merged" : "closed",
    draft: request["draft"] === true,
  };
}
