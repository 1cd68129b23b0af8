/** The checks before and after, side by side, each with the end of what it printed; and the gate with its proof. */
import type { Run } from "@triptych/contracts";
import { useBus, type FollowedBus } from "../../bus/follow-bus.ts";
import { Empty } from "../../pieces/empty.tsx";
import { Word } from "../../pieces/state.tsx";
import { TextBlock } from "../../pieces/text-block.tsx";
import { duration } from "../../words/format.ts";

interface Check {
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

const VERDICTS = {
  passed: ["success", "passed: the checks are green after the change"],
  failed: ["failure", "failed: the checks are red after the change"],
  baseline_broken: ["failure", "broken before: the checks were red and stayed red"],
  gate_only: ["attention", "gate only: what it was to prove is green, the checks are still red"],
  flaky: ["attention", "flaky: red, and green when run again without the agent"],
  skipped: ["attention", "skipped: there is no command that proves anything"],
} as const;

export function VerifyPanel({ run, bus }: { readonly run: Run; readonly bus: FollowedBus }) {
  const { verify, verify_cmd, gate } = run;
  const checks = useBus(bus, (view) => view.checks);
  const outputs = checks.filter(({ epoch }) => epoch === run.epoch);
  const before = outputs.filter(({ round }) => (round ?? 0) === 0);
  const after = outputs.filter(({ round }) => (round ?? 0) > 0);
  if (run.kind === "explore")
    return (
      <Empty why="A scout changes nothing. Each of its candidates is proven by a gate of its own, red before anything is changed." />
    );
  if (verify_cmd === null && gate === null)
    return (
      <Empty why="No command proves this run: it is pushed as a draft that says so. Name one in the repo's settings, `npm test` for example." />
    );
  return (
    <>
      {verify.verdict === null ? (
        <p className="soft">No verdict yet.</p>
      ) : (
        <p>
          <Word tone={VERDICTS[verify.verdict][0]}>{VERDICTS[verify.verdict][1]}</Word>
        </p>
      )}
      {verify_cmd === null ? null : (
        <p>
          <span className="soft">Checks</span> <code>{verify_cmd}</code>
        </p>
      )}
      {gate === null ? null : (
        <p>
          <span className="soft">Gate</span> <code>{gate.cmd}</code>{" "}
          {verify.gate === null ? <span className="soft">not run yet</span> : <Result check={verify.gate} />}
        </p>
      )}
      <div className="sides">
        <section aria-labelledby="before">
          <h2 id="before">Before</h2>
          {verify.baseline === null ? (
            <p className="soft">{before.length === 0 ? "Not run." : ""}</p>
          ) : (
            <p>
              <Result check={verify.baseline} />
              {verify.baseline.cached ? <span className="soft"> known from an earlier run</span> : null}
            </p>
          )}
          {before.map(({ seq, text }) => (
            <TextBlock key={seq} text={text} lines={24} isTail isCode />
          ))}
        </section>
        <section aria-labelledby="after">
          <h2 id="after">After</h2>
          {verify.attempts.length === 0 && after.length === 0 ? <p className="soft">Not run yet.</p> : null}
          {verify.attempts.map((attempt) => (
            <p key={attempt.n}>
              {verify.attempts.length > 1 ? <span className="soft">{attempt.n}. </span> : null}
              <Result check={attempt} />
            </p>
          ))}
          {after.map(({ seq, text }) => (
            <TextBlock key={seq} text={text} lines={24} isTail isCode />
          ))}
        </section>
      </div>
    </>
  );
}

export function Result({ check }: { readonly check: Check }) {
  const isGreen = check.exit_code === 0;
  return (
    <>
      <Word tone={isGreen ? "success" : "failure"}>{isGreen ? "green" : "red"}</Word>{" "}
      <span className="soft">
        {check.exit_code === null ? "ended by a signal or a limit" : `exit code ${check.exit_code}`},{" "}
        {duration(check.duration_ms)}
      </span>
    </>
  );
}
