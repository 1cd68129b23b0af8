import { getRouteApi } from "@tanstack/react-router";
import { SkeletonBar, SkeletonButton, SkeletonHeader, SkeletonLine, SkeletonText } from "../../components/skeleton.tsx";
import { RunTableSkeleton } from "../../components/run-table.tsx";
import type { FieldKind } from "./setting-field.ts";
import { GROUPS } from "./settings-fields.ts";
import { t } from "../../i18n.ts";

const route = getRouteApi("/repos/$id");

export function RepoSkeleton() {
  const { tab = "runs" } = route.useSearch();
  return (
    <>
      <SkeletonHeader actions={4} tabs={[t("Runs"), t("Candidates"), t("Memories"), t("Settings")]} />
      <div className="panel">
        {tab === "runs" ? <RunTableSkeleton rows={8} isWithoutRepo /> : null}
        {tab === "candidates" ? (
          <>
            <div className="head">
              <FunnelSkeleton />
            </div>
            <CandidateSkeleton />
          </>
        ) : null}
        {tab === "memories" ? (
          <>
            <div className="field">
              <span>{t("Something agents should know")}</span>
              <span className="bone-input" />
            </div>
            <MemorySkeleton />
          </>
        ) : null}
        {tab === "settings" ? <SettingsSkeleton /> : null}
      </div>
    </>
  );
}

export function FunnelSkeleton() {
  return (
    <ul className="funnel">
      {Array.from({ length: 5 }, (_, index) => (
        <li key={index} className="bone-line">
          <SkeletonBar width="s72" />
        </li>
      ))}
    </ul>
  );
}

export function CandidateSkeleton() {
  return (
    <div className="triage">
      <ul>
        {Array.from({ length: 6 }, (_, index) => (
          <li key={index} className="bone-row">
            <SkeletonBar width="w85" />
          </li>
        ))}
      </ul>
      <div className="candidate">
        <header>
          <SkeletonLine width="w40" />
          <SkeletonLine width="w60" />
          <div className="row">
            <SkeletonButton />
            <SkeletonButton />
          </div>
        </header>
        <SkeletonText lines={3} />
        <SkeletonText lines={2} />
        <SkeletonText lines={8} />
      </div>
    </div>
  );
}

export function MemorySkeleton() {
  return (
    <ul className="memories">
      {Array.from({ length: 4 }, (_, index) => (
        <li key={index}>
          <SkeletonText lines={2} />
          <div className="actions">
            <SkeletonButton />
            <SkeletonButton />
          </div>
        </li>
      ))}
    </ul>
  );
}

const SHAPES: Readonly<Partial<Record<FieldKind["kind"], "tall" | "little" | "tick">>> = {
  long: "tall",
  lines: "tall",
  count: "little",
  euros: "little",
  switch: "tick",
};

/** Labels and hints of the settings are static. */
export function SettingsSkeleton() {
  return (
    <div className="settings">
      {GROUPS.map(({ name, about, fields }) => (
        <section key={name}>
          <h2>{name}</h2>
          <div className="fields">
            {about === undefined ? null : <p className="soft">{about}</p>}
            {fields.map(({ path, label, kind, hint }) => (
              <div key={path} className="field">
                <span>{label}</span>
                <span className={`bone-input ${SHAPES[kind] ?? ""}`} />
                {hint === undefined ? null : <span className="about soft">{hint}</span>}
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
