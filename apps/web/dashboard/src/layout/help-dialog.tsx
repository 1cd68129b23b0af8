import { Link } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { useStore } from "../components/watch.ts";
import { letterHotkeys } from "./hotkeys.ts";
import { t } from "../i18n.ts";
import { rich } from "../components/rich.tsx";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    t("Everywhere"),
    [
      ["?", t("Show this help")],
      ["/", t("Focus the filter")],
      ["g o", t("Overview")],
      ["g r", t("Repos")],
      ["g u", t("Runs")],
      ["g w", t("Workers")],
      ["g a", t("Account")],
      ["j k", t("Next and previous item")],
      ["Enter", t("Open")],
      ["Esc", t("Close or go back")],
      ["Ctrl Enter", t("Submit the form")],
    ],
  ],
  [
    t("Candidates"),
    [
      ["r", t("verb|Run")],
      ["x", t("Reject")],
      ["e", t("Show the evidence")],
    ],
  ],
  [
    t("Run page"),
    [
      ["f", t("Follow new output")],
      ["n p", t("Next and previous error")],
      ["1 – 4", t("Activity, verify, diff, details")],
    ],
  ],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(letterHotkeys) === "on";
  return (
    <Dialog title={t("Keyboard shortcuts")} onClose={onClose} isWide>
      <div className="keys">
        {GROUPS.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="soft">
        {rich(
          isOn
            ? t("Single-letter shortcuts are on. Change this on the <account>account page</account>.")
            : t("Single-letter shortcuts are off. Change this on the <account>account page</account>."),
          {
            account: <Link to="/account" onClick={onClose} />,
          },
        )}
      </p>
    </Dialog>
  );
}
