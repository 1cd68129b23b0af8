import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Repo } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { startExplore } from "../../api/endpoints.ts";
import { accountQuery } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { exploreRefusalOf } from "../../labels/repos.ts";
import { t } from "../../i18n.ts";

export function ExploreButton({ repo, isPrimary = false }: { readonly repo: Repo; readonly isPrimary?: boolean }) {
  const navigate = useNavigate();
  const { data: account } = useQuery(accountQuery);
  const params = { id: repo.id };
  return (
    <ActionButton
      label={t("Explore")}
      busy={t("Sending…")}
      isPrimary={isPrimary}
      refusal={exploreRefusalOf(repo, account)}
      act={async (key) => (await call(startExplore, { params, body: {}, idempotencyKey: key })).body}
      onDone={(run) => void navigate({ to: "/runs/$id", params: { id: run.id } })}
    />
  );
}
