/** Team members by role: agents and models of the workers, and saved ones. */
import { useQuery } from "@tanstack/react-query";
import { TEAM_ROLES } from "@triptych/contracts/plain";
import type { RepoSettings } from "@triptych/contracts";
import { useState } from "react";
import { workersQuery } from "../../api/queries.ts";
import { ROLE_LABELS } from "../../labels/bus.ts";
import { t } from "../../i18n.ts";

type Member = RepoSettings["team"]["members"][number];

interface MembersFieldProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly name: string;
  /** JSON of the saved members. */
  readonly seen: string;
  readonly onChange: () => void;
}

const MEMBERS_MAX = 5;

export function MembersField({ label, hint, error, name, seen, onChange }: MembersFieldProps) {
  const [members, setMembers] = useState<readonly Member[]>(() => (seen === "" ? [] : (JSON.parse(seen) as Member[])));
  const { data } = useQuery(workersQuery);
  const agents = (data?.workers ?? []).flatMap((worker) => worker.agents);
  const set = (next: readonly Member[]) => {
    setMembers(next);
    onChange();
  };
  const change = (index: number, part: Partial<Member>) =>
    set(members.map((member, at) => (at === index ? { ...member, ...part } : member)));
  const add = () => set([...members, { role: "coder", cli: agents[0]?.cli ?? "command" }]);
  return (
    <fieldset className="field members">
      <legend>{label}</legend>
      <input type="hidden" name={name} value={members.length === 0 && seen === "" ? "" : JSON.stringify(members)} />
      {members.map((member, index) => (
        <div key={index} className="row">
          <select
            aria-label={t("Role")}
            value={member.role}
            onChange={({ target }) =>
              change(index, { role: TEAM_ROLES.find((candidate) => candidate === target.value) ?? "coder" })
            }
          >
            {TEAM_ROLES.map((role) => (
              <option key={role} value={role}>
                {ROLE_LABELS[role]}
              </option>
            ))}
          </select>
          <select
            aria-label={t("Agent")}
            value={member.cli}
            onChange={({ target }) => change(index, withoutModel({ ...member, cli: target.value }))}
          >
            {named(
              agents.map(({ cli }) => cli),
              member.cli,
            ).map((cli) => (
              <option key={cli}>{cli}</option>
            ))}
          </select>
          <MemberOption member={member} agents={agents} onChange={(part) => change(index, part)} />
          <button type="button" onClick={() => set(members.filter((_, at) => at !== index))}>
            {t("Remove")}
          </button>
        </div>
      ))}
      {members.length < MEMBERS_MAX ? (
        <button type="button" onClick={add}>
          {t("Add a member")}
        </button>
      ) : null}
      <div className="about">
        {error === undefined ? null : <p className="field-error">{error}</p>}
        <div className="soft">{hint}</div>
      </div>
    </fieldset>
  );
}

interface MemberOptionProps {
  readonly member: Member;
  readonly agents: readonly { readonly cli: string; readonly models: readonly string[] }[];
  readonly onChange: (part: Partial<Member>) => void;
}

/** The command of a member that runs one, else its model. */
function MemberOption({ member, agents, onChange }: MemberOptionProps) {
  if (member.cli === "command")
    return (
      <textarea
        aria-label={t("Command, one argument per line")}
        className="code"
        rows={2}
        value={(member.command ?? []).join("\n")}
        onChange={({ target }) => onChange({ command: target.value.split("\n") })}
      />
    );
  const models = agents.filter(({ cli }) => cli === member.cli).flatMap((agent) => agent.models);
  return (
    <select
      aria-label={t("Model")}
      value={member.model ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? withoutModel(member) : { model: target.value })}
    >
      <option value="">{t("default model")}</option>
      {named(models, member.model).map((model) => (
        <option key={model}>{model}</option>
      ))}
    </select>
  );
}

function withoutModel({ role, cli, command }: Member): Member {
  return { role, cli, model: undefined, ...(command !== undefined && cli === "command" && { command }) };
}

/** Unique names, including the saved one even if no worker offers it now. */
function named(names: readonly string[], own: string | undefined): readonly string[] {
  return [...new Set([...names, ...(own === undefined ? [] : [own])])].sort();
}
