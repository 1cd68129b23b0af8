/** The keyboard shortcuts. */
import { Link } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { useStore } from "../store.ts";
import { letterHotkeys } from "./hotkeys.ts";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["?", "this help"],
      ["/", "to the filter"],
      ["g o", "overview"],
      ["g r", "repos"],
      ["g u", "runs"],
      ["g w", "workers"],
      ["g a", "account"],
      ["j k", "next and previous in a list"],
      ["Enter", "open"],
      ["Esc", "close, or back"],
      ["Ctrl Enter", "send the form"],
    ],
  ],
  [
    "Candidates",
    [
      ["r", "run it"],
      ["x", "reject it"],
      ["e", "to its evidence"],
    ],
  ],
  [
    "A run",
    [
      ["f", "follow the end"],
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
        Single letters are {isOn ? "on" : "off"}; the{" "}
        <Link to="/account" onClick={onClose}>
          account page
        </Link>{" "}
        switches them.
      </p>
    </Dialog>
  );
}
