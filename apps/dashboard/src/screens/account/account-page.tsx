import { useQuery } from "@tanstack/react-query";
import type { Account } from "@triptych/contracts";
import { accountQuery } from "../../api/queries.ts";
import { signOut } from "../../layout/auth.ts";
import { letterHotkeys } from "../../layout/hotkeys.ts";
import { useTitle } from "../../layout/title.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { SkeletonButton, SkeletonMeter, SkeletonText } from "../../components/skeleton.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Meter } from "../../components/meter.tsx";
import { useStore } from "../../store.ts";
import { counted, duration, money, short, sentenceCase } from "../../labels/format.ts";
import { LicenseSection } from "./license-section.tsx";
import { TokensSection } from "./tokens-section.tsx";
import "./account.css";

export function AccountPage() {
  useTitle("Account");
  const query = useQuery(accountQuery);
  return (
    <>
      <h1>Account</h1>
      <QueryBoundary query={query} skeleton={<AccountSkeleton />}>
        {(account) => <Sections account={account} />}
      </QueryBoundary>
    </>
  );
}

function AccountSkeleton() {
  return (
    <div className="account">
      <section>
        <h2>Plan</h2>
        <div className="stack">
          <SkeletonText lines={1} />
          <SkeletonMeter count={4} />
          <SkeletonText lines={1} />
          <SkeletonText lines={2} />
        </div>
      </section>
      <section>
        <h2>License key</h2>
        <div className="stack">
          <SkeletonText lines={2} />
          <div className="row">
            <SkeletonButton width="s120" />
            <SkeletonButton />
            <SkeletonButton />
            <SkeletonButton />
          </div>
        </div>
      </section>
      <section>
        <h2>Access tokens</h2>
        <SkeletonText lines={8} />
      </section>
      <section>
        <h2>This browser</h2>
        <SkeletonText lines={2} />
      </section>
    </div>
  );
}

function Sections({ account }: { readonly account: Account }) {
  const { plan, usage } = account;
  const { limits, features } = plan;
  return (
    <div className="account">
      <section aria-labelledby="plan">
        <h2 id="plan">{sentenceCase(plan.id)} plan</h2>
        <div className="stack">
          <p>
            {account.email}, created <Ago at={account.created_at} />
            {account.status === "suspended" ? ". The account is suspended: changes are rejected and runs wait." : ""}
          </p>
          <div className="meters">
            <Meter name="Runs this month" value={usage.runs} cap={limits.runs_per_month} />
            <Meter name="Repos" value={usage.repos} cap={limits.repos} />
            {features.explore ? (
              <Meter name="Explore runs today" value={usage.explores_today} cap={limits.explores_per_day} />
            ) : null}
            <Meter name="Workers connected" value={account.license.workers_connected} cap={limits.workers} />
          </div>
          <p>
            Agent usage this month: {duration(usage.agent_seconds * 1_000)}, {short(usage.input_tokens)} input tokens,{" "}
            {short(usage.output_tokens)} output tokens. Cost:{" "}
            {usage.cost_micro === 0 ? "unknown" : money(usage.cost_micro)}.
          </p>
          <p className="soft">
            Limits: {counted(features.parallel_runs, "parallel run")};{" "}
            {counted(limits.memories_per_repo, "memory", "memories")} per repository; activity is stored for{" "}
            {counted(limits.retention_days, "day")};{" "}
            {features.explore ? "Explore is included" : "Explore requires the Pro plan"}. The billing period ends{" "}
            <Ago at={usage.period_end} />.
          </p>
        </div>
      </section>
      <LicenseSection account={account} />
      <TokensSection />
      <section aria-labelledby="browser">
        <h2 id="browser">This browser</h2>
        <div className="stack">
          <LettersSwitch />
          <div className="actions">
            <ActionButton label="Sign out" busy="Signing out…" act={() => signOut(false)} />
            <ActionButton
              label="Sign out everywhere"
              ask={{
                title: "Sign out everywhere?",
                text: "All browsers signed in to this account must sign in again. Access tokens and workers are not affected.",
                yes: "Sign out everywhere",
              }}
              act={() => signOut(true)}
            />
          </div>
        </div>
      </section>
    </div>
  );
}

function LettersSwitch() {
  const isOn = useStore(letterHotkeys) === "on";
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => letterHotkeys.set(target.checked ? "on" : "off")}
      />{" "}
      Single-letter keyboard shortcuts (? shows them all)
    </label>
  );
}
