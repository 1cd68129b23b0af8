import { useState } from "preact/hooks";
import { Confirm, onSubmit, valueOf } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import type { Session } from "./api.ts";
import { Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

const GRACES = { 3600: "graceHour", 86_400: "graceDay", 0: "graceNone" } as const;

interface RotateProps {
  readonly session: Session;
  readonly open: (token: string) => Promise<void>;
}

export function Rotate({ session, open }: RotateProps) {
  const { api, present } = session;
  const [grace, setGrace] = useState<keyof typeof GRACES | null>(null);
  const action = useAction();
  const rotate = (seconds: number) =>
    action.run(async () => {
      const { wallet_token, previous_valid_until } = await api.rotate({ grace_seconds: seconds });
      present(wallet_token, say("rotated", { time: format.time(previous_valid_until) }));
      await open(wallet_token);
    });
  const ask = (value: string) => setGrace(value === "0" ? 0 : value === "86400" ? 86_400 : 3600);
  return (
    <section aria-labelledby="rotate-title">
      <h2 id="rotate-title">{say("rotate")}</h2>
      <form onSubmit={onSubmit((form) => ask(valueOf(form, "rotate-grace")))}>
        <label for="rotate-grace">{say("oldTokenExpires")}</label>
        <div class="together">
          <select id="rotate-grace" aria-describedby="rotate-why">
            {([3600, 86_400, 0] as const).map((seconds) => (
              <option key={seconds} value={seconds}>
                {say(GRACES[seconds])}
              </option>
            ))}
          </select>
          <button id="rotate-button" disabled={action.busy}>
            {say("createToken")}
          </button>
        </div>
        <p id="rotate-why" class="why soft">
          {say("rotateWhy")}
        </p>
      </form>
      <Refused id="rotate-refused" error={action.error} />
      {grace !== null && (
        <Confirm
          title={say("rotateTitle")}
          text={say("rotateText", { when: say(GRACES[grace]) })}
          labels={{ yes: say("createToken"), no: say("cancel") }}
          onDone={(isConfirmed) => {
            setGrace(null);
            if (isConfirmed) void rotate(grace);
          }}
        />
      )}
    </section>
  );
}
