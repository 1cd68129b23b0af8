/** What a repo and each of its tabs look like before they are there. */
import { getRouteApi } from "@tanstack/react-router";
import { Bone, ButtonBone, HeadBones, LineBone, TextBones } from "../../components/skeleton.tsx";
import { RunTableSkeleton } from "../../components/run-table.tsx";
import { GROUPS, type FieldKind } from "./settings-fields.ts";

const route = getRouteApi("/repos/$id");

export function RepoBones() {
  const { tab = "runs" } = route.useSearch();
  return (
    <>
      <HeadBones actions={4} tabs={["Runs", "Candidates", "Memories", "Settings"]} />
      <div className="panel">
        {tab === "runs" ? <RunTableSkeleton rows={8} isWithoutRepo /> : null}
        {tab === "candidates" ? (
          <>
            <div className="head">
              <FunnelBones />
            </div>
            <CandidateBones />
          </>
        ) : null}
        {tab === "memories" ? (
          <>
            <div className="field">
              <span>Something agents should know</span>
              <span className="bone-input" />
            </div>
            <MemoryBones />
          </>
        ) : null}
        {tab === "settings" ? <SettingBones /> : null}
      </div>
    </>
  );
}

export function FunnelBones() {
  return (
    <ul className="funnel">
      {Array.from({ length: 5 }, (_, place) => (
        <li key={place} className="bone-line">
          <Bone width="s72" />
        </li>
      ))}
    </ul>
  );
}

/** The list on the left, on the right what speaks for the first one. */
export function CandidateBones() {
  return (
    <div className="triage">
      <ul>
        {Array.from({ length: 6 }, (_, place) => (
          <li key={place} className="bone-row">
            <Bone width="w85" />
          </li>
        ))}
      </ul>
      <div className="candidate">
        <header>
          <LineBone width="w40" />
          <LineBone width="w60" />
          <div className="row">
            <ButtonBone />
            <ButtonBone />
          </div>
        </header>
        <TextBones lines={3} />
        <TextBones lines={2} />
        <TextBones lines={8} />
      </div>
    </div>
  );
}

export function MemoryBones() {
  return (
    <ul className="memories">
      {Array.from({ length: 4 }, (_, place) => (
        <li key={place}>
          <TextBones lines={2} />
          <div className="actions">
            <ButtonBone />
            <ButtonBone />
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

/** Which settings there are, and what they mean, is known. */
export function SettingBones() {
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
