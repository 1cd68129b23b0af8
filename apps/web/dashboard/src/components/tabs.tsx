/** Accessible tabs: arrow keys move between them, only the selected one is in the tab order. */
import { useRef } from "react";

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: React.ReactNode;
  readonly title?: string;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly children: React.ReactNode;
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const index = (tabs.findIndex(({ name }) => name === chosen) + step + tabs.length) % tabs.length;
    onChoose(tabs[index].name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={({ key }) => {
          if (key === "ArrowRight") move(1);
          if (key === "ArrowLeft") move(-1);
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`tab-${tab.name}`}
            aria-controls="tab-panel"
            aria-selected={tab.name === chosen}
            tabIndex={tab.name === chosen ? 0 : -1}
            title={tab.title}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`} className={`panel panel-${chosen}`}>
        {children}
      </div>
    </>
  );
}
