/** Complete GitHub responses for an app, with every member that the published schema requires. */
import { apiOf, MADE_AT, repositoryOf, type RepositoryInfo, userOf } from "./github-responses.ts";

export interface AppInfo extends RepositoryInfo {
  readonly appId: number;
  readonly installationId: number;
  readonly canWriteChecks: boolean;
}

export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly details_url: string | null;
  readonly title: string | null;
  readonly summary: string | null;
}

const SLUG = "triptych";

function permissionsOf({ canWriteChecks }: AppInfo): object {
  const checks = canWriteChecks ? { checks: "write" } : {};
  return { contents: "write", metadata: "read", pull_requests: "write", ...checks };
}

export function installationOf(info: AppInfo, isSuspended: boolean): object {
  const { url, owner, appId, installationId } = info;
  const api = `${url}/api/v3`;
  return {
    id: installationId,
    account: userOf(owner, info),
    repository_selection: "selected",
    access_tokens_url: `${api}/app/installations/${installationId}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${url}/organizations/${owner}/settings/installations/${installationId}`,
    app_id: appId,
    app_slug: SLUG,
    target_id: 1,
    target_type: "User",
    permissions: permissionsOf(info),
    events: [],
    created_at: MADE_AT,
    updated_at: MADE_AT,
    single_file_name: null,
    suspended_by: isSuspended ? userOf(owner, info) : null,
    suspended_at: isSuspended ? MADE_AT : null,
  };
}

interface Issued {
  readonly token: string;
  readonly expiresAt: number;
  /** Whether the request named repositories. */
  readonly isSelected: boolean;
}

export function tokenOf(info: AppInfo, { token, expiresAt, isSelected }: Issued): object {
  return {
    token,
    // GitHub returns whole seconds.
    expires_at: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, "Z"),
    permissions: permissionsOf(info),
    repository_selection: "selected",
    ...(isSelected && { repositories: [repositoryOf(info)] }),
  };
}

export function checkRunOf(info: AppInfo, run: CheckRun): object {
  const { id, name, head_sha, external_id, status, conclusion, details_url, title, summary } = run;
  const at = `${apiOf(info)}/check-runs/${id}`;
  return {
    id,
    node_id: `CR_${id}`,
    name,
    head_sha,
    external_id,
    url: at,
    html_url: `${info.url}/${info.owner}/${info.name}/runs/${id}`,
    details_url,
    status,
    conclusion,
    started_at: MADE_AT,
    completed_at: status === "completed" ? MADE_AT : null,
    output: { title, summary, text: null, annotations_count: 0, annotations_url: `${at}/annotations` },
    check_suite: { id: 1 },
    app: {
      id: info.appId,
      slug: SLUG,
      node_id: "A_1",
      owner: userOf(info.owner, info),
      name: "Triptych",
      description: null,
      external_url: info.url,
      html_url: `${info.url}/apps/${SLUG}`,
      created_at: MADE_AT,
      updated_at: MADE_AT,
      permissions: permissionsOf(info),
      events: [],
    },
    pull_requests: [],
  };
}
