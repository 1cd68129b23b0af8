/** Test command and gate, each before and after the change, with the end of their output. */
import type { Run } from "@triptych/contracts";
import { useBus, type FollowedBus } from "../../run-events/follow-bus.ts";
import { Empty } from "../../components/empty.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { exactDuration } from "../../labels/format.ts";

interface Check {
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

const VERDICTS = {
  passed: ["success", "passed: the checks pass after the change"],
  failed: ["failure", "failed: the checks fail after the change"],
  baseline_broken: ["failure", "baseline broken: the checks failed before the change and still fail"],
  gate_only: ["attention", "gate only: the gate passes, the test command still fails"],
  flaky: ["attention", "flaky: the checks failed, then passed on a retry of the same tree"],
  skipped: ["attention", "skipped: there is no test command and no gate"],
} as const;

export function VerifyPanel({ run, bus }: { readonly run: Run; readonly bus: FollowedBus }) {
  const { verify, verify_cmd, gate } = run;
  const checks = useBus(bus, (view) => view.checks);
  const outputs = checks.filter(({ epoch }) => epoch === run.epoch);
  const before = outputs.filter(({ round }) => (round ?? 0) === 0);
  const after = outputs.filter(({ round }) => (round ?? 0) > 0);
  if (run.kind === "explore")
    return (
      <Empty why="An explore run changes nothing. Each candidate has its own gate, which fails before the change." />
    );
  if (verify_cmd === null && gate === null)
    return (
      <Empty why="This run has no test command, so its change is pushed as a draft. Set one in the repository's settings, for example `npm test`." />
    );
  return (
    <>
      {verify.verdict === null ? (
        <p className="soft">No verdict yet.</p>
      ) : (
        <p>
          <StateLabel tone={VERDICTS[verify.verdict][0]}>{VERDICTS[verify.verdict][1]}</StateLabel>
        </p>
      )}
      <div className="sides">
        <section aria-labelledby="before">
          <h2 id="before">Baseline</h2>
          <CommandLine name="Test command" cmd={verify_cmd} result={verify.baseline} />
          {verify.baseline?.cached === true ? <p className="soft">Known from an earlier run.</p> : null}
          <CommandLine name="Gate" cmd={gate?.cmd ?? null} result={verify.gate?.baseline ?? null} />
          <Outputs checks={before} />
        </section>
        <section aria-labelledby="after">
          <h2 id="after">After the change</h2>
          {verify.attempts.length === 0 && after.length === 0 ? <p className="soft">Not run yet.</p> : null}
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
      {verify.attempts.length > 1 ? <h3>Attempt {attempt.n}</h3> : null}
      {isApart ? (
        <>
          <CommandLine name="Test command" cmd={verify_cmd} result={attempt.verify} />
          <CommandLine name="Gate" cmd={gate?.cmd ?? null} result={attempt.gate} />
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
  /** Null: the run has no such command. */
  readonly cmd: string | null;
  readonly result: Check | null;
}

function CommandLine({ name, cmd, result }: Command) {
  if (cmd === null) return null;
  return (
    <p className="command">
      <span className="soft">{name}</span> <code>{cmd}</code>{" "}
      {result === null ? <span className="soft">no result</span> : <Result check={result} />}
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
      <StateLabel tone={isGreen ? "success" : "failure"}>{isGreen ? "passed" : "failed"}</StateLabel>{" "}
      <span className="soft">
        {check.exit_code === null ? "stopped by a signal or a limit" : `exit code ${check.exit_code}`},{" "}
        {exactDuration(check.duration_ms)}
      </span>
    </>
  );
}
