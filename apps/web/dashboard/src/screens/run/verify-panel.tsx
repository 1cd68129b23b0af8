/** Test command and gate, each before and after the change, with the end of their output. */
import type { Run } from "@triptych/contracts";
import { useBus, type FollowedBus } from "../../run-events/follow-bus.ts";
import { Empty } from "../../components/empty.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { exactDuration } from "../../labels/format.ts";
import { t } from "../../i18n.ts";

interface Check {
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

const VERDICTS = {
  passed: ["success", t("passed: the checks pass after the change")],
  failed: ["failure", t("failed: the checks fail after the change")],
  baseline_broken: ["failure", t("baseline broken: the checks failed before the change and still fail")],
  gate_only: ["attention", t("gate only: the gate passes, the test command still fails")],
  flaky: ["attention", t("flaky: the checks failed, then passed on a retry of the same tree")],
  skipped: ["attention", t("skipped: there is no test command and no gate")],
} as const;

export function VerifyPanel({ run, bus }: { readonly run: Run; readonly bus: FollowedBus }) {
  const { verify, verify_cmd, gate } = run;
  const checks = useBus(bus, (view) => view.checks);
  const outputs = checks.filter(({ epoch }) => epoch === run.epoch);
  const before = outputs.filter(({ round }) => (round ?? 0) === 0);
  const after = outputs.filter(({ round }) => (round ?? 0) > 0);
  if (run.kind === "explore")
    return (
      <Empty
        why={t("An explore run changes nothing. Each candidate has its own gate, which fails before the change.")}
      />
    );
  if (verify_cmd === null && gate === null)
    return (
      <Empty
        why={t(
          "This run has no test command, so its change is pushed as a draft. Set one in the repository's settings, for example `npm test`.",
        )}
      />
    );
  return (
    <>
      {verify.verdict === null ? (
        <p className="soft">{t("No verdict yet.")}</p>
      ) : (
        <p>
          <StateLabel tone={VERDICTS[verify.verdict][0]}>{VERDICTS[verify.verdict][1]}</StateLabel>
        </p>
      )}
      <div className="sides">
        <section aria-labelledby="before">
          <h2 id="before">{t("Baseline")}</h2>
          <CommandLine name={t("Test command")} cmd={verify_cmd} result={verify.baseline} />
          {verify.baseline?.cached === true ? <p className="soft">{t("Known from an earlier run.")}</p> : null}
          <CommandLine name={t("Gate")} cmd={gate?.cmd ?? null} result={verify.gate?.baseline ?? null} />
          <Outputs checks={before} />
        </section>
        <section aria-labelledby="after">
          <h2 id="after">{t("After the change")}</h2>
          {verify.attempts.length === 0 && after.length === 0 ? <p className="soft">{t("Not run yet.")}</p> : null}
          {verify.attempts.map((attempt) => (
            <AttemptLines key={attempt.n} run={run} attempt={attempt} />
          ))}
          <Outputs checks={after} />
        </section>
      </div>
    </>
  );
}

type Attempt = Run["verify"]["attempts"][number];

function AttemptLines({
  run: { verify, verify_cmd, gate },
  attempt,
}: {
  readonly run: Run;
  readonly attempt: Attempt;
}) {
  // A worker of version 0.1 reports both commands as one.
  const isApart = attempt.verify !== null || attempt.gate !== null;
  return (
    <>
      {verify.attempts.length > 1 ? <h3>{t("Attempt {number}", { number: attempt.n })}</h3> : null}
      {isApart ? (
        <>
          <CommandLine name={t("Test command")} cmd={verify_cmd} result={attempt.verify} />
          <CommandLine name={t("Gate")} cmd={gate?.cmd ?? null} result={attempt.gate} />
        </>
      ) : (
        <p>
          <Result check={attempt} />
        </p>
      )}
    </>
  );
}

interface Command {
  readonly name: string;
  /** Null if the run has no such command. */
  readonly cmd: string | null;
  readonly result: Check | null;
}

function CommandLine({ name, cmd, result }: Command) {
  if (cmd === null) return null;
  return (
    <p className="command">
      <span className="soft">{name}</span> <code>{cmd}</code>{" "}
      {result === null ? <span className="soft">{t("no result")}</span> : <Result check={result} />}
    </p>
  );
}

function Outputs({ checks }: { readonly checks: readonly { readonly seq: number; readonly text: string }[] }) {
  return checks.map(({ seq, text }) => <TextBlock key={seq} text={text} lines={24} isTail isCode />);
}

export function Result({ check }: { readonly check: Check }) {
  const isGreen = check.exit_code === 0;
  return (
    <>
      <StateLabel tone={isGreen ? "success" : "failure"}>{isGreen ? t("passed") : t("failed")}</StateLabel>{" "}
      <span className="soft">
        {check.exit_code === null
          ? t("stopped by a signal or a limit")
          : t("exit code {code}", { code: check.exit_code })}
        , {exactDuration(check.duration_ms)}
      </span>
    </>
  );
}
