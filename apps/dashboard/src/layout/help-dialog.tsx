import { Link } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { useStore } from "../store.ts";
import { letterHotkeys } from "./hotkeys.ts";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["?", "Show this help"],
      ["/", "Focus the filter"],
      ["g o", "Overview"],
      ["g r", "Repos"],
      ["g u", "Runs"],
      ["g w", "Workers"],
      ["g a", "Account"],
      ["j k", "Next and previous item"],
      ["Enter", "Open"],
      ["Esc", "Close or go back"],
      ["Ctrl Enter", "Submit the form"],
    ],
  ],
  [
    "Candidates",
    [
      ["r", "Run"],
      ["x", "Reject"],
      ["e", "Show the evidence"],
    ],
  ],
  [
    "Run page",
    [
      ["f", "Follow new output"],
      ["n p", "Next and previous error"],
      ["1 – 4", "Activity, verify, diff, details"],
    ],
  ],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(letterHotkeys) === "on";
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
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
        Single-letter shortcuts are {isOn ? "on" : "off"}. Change this on the{" "}
        <Link to="/account" onClick={onClose}>
          account page
        </Link>
        .
      </p>
    </Dialog>
  );
}
