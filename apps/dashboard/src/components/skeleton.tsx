/** What stands in the place of words until they are there: grey bars, as high as a line of text, put together in the shape of what comes. */

/** `w` in hundredths of the place, `s` in pixels. */
export type BoneWidth = "w30" | "w40" | "w50" | "w60" | "w85" | "s48" | "s56" | "s72" | "s120" | "s240";

export function Bone({ width }: { readonly width: BoneWidth }) {
  return <span className={`bone ${width}`} />;
}

/** With a line of its own. */
export function LineBone({ width }: { readonly width: BoneWidth }) {
  return (
    <span className="bone-line">
      <Bone width={width} />
    </span>
  );
}

/** Of something that is pressed. */
export function ButtonBone({ width = "s72" }: { readonly width?: BoneWidth }) {
  return <span className={`bone-button ${width}`} />;
}

/** Of a text of so many lines. */
export function TextBones({ lines }: { readonly lines: number }) {
  return (
    <div className="bone-text">
      {Array.from({ length: lines }, (_, line) => (
        <LineBone key={line} width={line === lines - 1 ? "w50" : "w85"} />
      ))}
    </div>
  );
}

export function MeterBones({ count }: { readonly count: number }) {
  return (
    <div className="meters">
      {Array.from({ length: count }, (_, place) => (
        <div key={place} className="meter">
          <LineBone width="s72" />
          <LineBone width="s48" />
          <div className="track" />
        </div>
      ))}
    </div>
  );
}

interface HeadBonesProps {
  readonly actions: number;
  /** Their names are known before the thing is. */
  readonly tabs: readonly string[];
  /** Between the head and the tabs. */
  readonly children?: React.ReactNode;
}

/** Where one is, then what this is and what can be done with it, then its parts. */
export function HeadBones({ actions, tabs, children }: HeadBonesProps) {
  return (
    <>
      <div className="crumbs">
        <LineBone width="s72" />
      </div>
      <div className="head">
        <Bone width="s56" />
        <Bone width="s240" />
        <div className="actions">
          {Array.from({ length: actions }, (_, place) => (
            <ButtonBone key={place} />
          ))}
        </div>
      </div>
      {children}
      <div className="bone-tabs">
        {tabs.map((tab) => (
          <span key={tab}>{tab}</span>
        ))}
      </div>
    </>
  );
}
