/** Loading skeletons: grey bars of line height in the shape of the content. */

/** `w` in percent of the container, `s` in pixels. */
export type SkeletonWidth = "w30" | "w40" | "w50" | "w60" | "w85" | "s48" | "s56" | "s72" | "s120" | "s240";

export function SkeletonBar({ width }: { readonly width: SkeletonWidth }) {
  return <span className={`bone ${width}`} />;
}

export function SkeletonLine({ width }: { readonly width: SkeletonWidth }) {
  return (
    <span className="bone-line">
      <SkeletonBar width={width} />
    </span>
  );
}

export function SkeletonButton({ width = "s72" }: { readonly width?: SkeletonWidth }) {
  return <span className={`bone-button ${width}`} />;
}

export function SkeletonText({ lines }: { readonly lines: number }) {
  return (
    <div className="bone-text">
      {Array.from({ length: lines }, (_, line) => (
        <SkeletonLine key={line} width={line === lines - 1 ? "w50" : "w85"} />
      ))}
    </div>
  );
}

export function SkeletonMeter({ count }: { readonly count: number }) {
  return (
    <div className="meters">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="meter">
          <SkeletonLine width="s72" />
          <SkeletonLine width="s48" />
          <div className="track" />
        </div>
      ))}
    </div>
  );
}

interface SkeletonHeaderProps {
  readonly actions: number;
  readonly tabs: readonly string[];
  readonly children?: React.ReactNode;
}

/** Breadcrumb, title and actions, then the parts. */
export function SkeletonHeader({ actions, tabs, children }: SkeletonHeaderProps) {
  return (
    <>
      <div className="crumbs">
        <SkeletonLine width="s72" />
      </div>
      <div className="head">
        <SkeletonBar width="s56" />
        <SkeletonBar width="s240" />
        <div className="actions">
          {Array.from({ length: actions }, (_, index) => (
            <SkeletonButton key={index} />
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
