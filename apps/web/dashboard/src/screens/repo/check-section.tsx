import type { Repo } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { checkRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { describeCheck } from "../../labels/repos.ts";
import { t } from "../../i18n.ts";

interface CheckSectionProps {
  readonly repo: Repo;
  readonly layout: "settings-extra" | "stack";
}

export function CheckSection({ repo, layout }: CheckSectionProps) {
  const { check, id } = repo;
  const { tone, text, output } = describeCheck(repo);
  const isOpen = check?.state === "pending" || check?.state === "running";
  return (
    <section className={layout} aria-labelledby="repo-check">
      <h2 id="repo-check">{t("Command check")}</h2>
      <div className="fields stack">
        <p role="status" className="lines">
          <StateLabel tone={tone}>{text}</StateLabel>
        </p>
        {output === null ? null : <TextBlock text={output} lines={6} isTail isCode />}
        {isOpen ? null : (
          <p className="row">
            <ActionButton
              label={check === null ? t("Check now") : t("Check again")}
              busy={t("Starting…")}
              act={() => call(checkRepo, { params: { id } })}
              onDone={() => void queries.invalidateQueries({ queryKey: ["repo", id] })}
            />
          </p>
        )}
      </div>
    </section>
  );
}
