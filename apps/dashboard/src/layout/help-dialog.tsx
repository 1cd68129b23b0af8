import { Link } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { useStore } from "../store.ts";
import { letterHotkeys } from "./hotkeys.ts";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["?", "show this help"],
      ["/", "focus the filter"],
      ["g o", "overview"],
      ["g r", "repos"],
      ["g u", "runs"],
      ["g w", "workers"],
      ["g a", "account"],
      ["j k", "next and previous item"],
      ["Enter", "open"],
      ["Esc", "close or go back"],
      ["Ctrl Enter", "submit the form"],
    ],
  ],
  [
    "Candidates",
    [
      ["r", "run"],
      ["x", "reject"],
      ["e", "show the evidence"],
    ],
  ],
  [
    "A run",
    [
      ["f", "follow new output"],
      ["n p", "next and previous error"],
      ["1 – 4", "activity, verify, diff, details"],
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
        </Link>{" "}
        .
      </p>
    </Dialog>
  );
}
