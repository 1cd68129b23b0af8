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
import { useStore } from "../../components/watch.ts";
import { duration, money, short, sentenceCase } from "../../labels/format.ts";
import { LicenseSection } from "./license-section.tsx";
import { TokensSection } from "./tokens-section.tsx";
import "./account.css";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

export function AccountPage() {
  useTitle(t("Account"));
  const query = useQuery(accountQuery);
  return (
    <>
      <h1>{t("Account")}</h1>
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
        <h2>{t("Plan")}</h2>
        <div className="stack">
          <SkeletonText lines={1} />
          <SkeletonMeter count={4} />
          <SkeletonText lines={1} />
          <SkeletonText lines={2} />
        </div>
      </section>
      <section>
        <h2>{t("License key")}</h2>
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
        <h2>{t("Access tokens")}</h2>
        <SkeletonText lines={8} />
      </section>
      <section>
        <h2>{t("This browser")}</h2>
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
        <h2 id="plan">{t("{plan} plan", { plan: sentenceCase(plan.id) })}</h2>
        <div className="stack">
          <p>
            {rich(
              account.status === "suspended"
                ? t("{email}, created {time}. The account is suspended: changes are rejected and runs wait.")
                : t("{email}, created {time}"),
              { email: account.email, time: <Ago at={account.created_at} /> },
            )}
          </p>
          <div className="meters">
            <Meter name={t("Runs this month")} value={usage.runs} cap={limits.runs_per_month} />
            <Meter name={t("Repos")} value={usage.repos} cap={limits.repos} />
            {features.explore ? (
              <Meter name={t("Explore runs today")} value={usage.explores_today} cap={limits.explores_per_day} />
            ) : null}
            <Meter name={t("Workers connected")} value={account.license.workers_connected} cap={limits.workers} />
          </div>
          <p>
            {t("Agent usage this month: {time}, {input} input tokens, {output} output tokens. Cost: {cost}.", {
              time: duration(usage.agent_seconds * 1_000),
              input: short(usage.input_tokens),
              output: short(usage.output_tokens),
              cost: usage.cost_micro === 0 ? t("unknown") : money(usage.cost_micro),
            })}
          </p>
          <p className="soft">
            {rich(
              t(
                "Limits: {runs}; {memories} per repository; activity is stored for {days}; {explore}. The billing period ends {end}.",
              ),
              {
                runs: plural(features.parallel_runs, "{count} parallel run", "{count} parallel runs"),
                memories: plural(limits.memories_per_repo, "{count} memory", "{count} memories"),
                days: plural(limits.retention_days, "{count} day", "{count} days"),
                explore: features.explore ? t("Explore is included") : t("Explore requires the Pro plan"),
                end: <Ago at={usage.period_end} />,
              },
            )}
          </p>
        </div>
      </section>
      <LicenseSection account={account} />
      <TokensSection />
      <section aria-labelledby="browser">
        <h2 id="browser">{t("This browser")}</h2>
        <div className="stack">
          <LettersSwitch />
          <div className="actions">
            <ActionButton label={t("Sign out")} busy={t("Signing out…")} act={() => signOut(false)} />
            <ActionButton
              label={t("Sign out everywhere")}
              ask={{
                title: t("Sign out everywhere?"),
                text: t(
                  "All browsers signed in to this account must sign in again. Access tokens and workers are not affected.",
                ),
                yes: t("Sign out everywhere"),
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
      {t("Single-letter keyboard shortcuts (? shows them all)")}
    </label>
  );
}
