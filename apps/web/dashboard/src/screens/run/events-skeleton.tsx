import { SkeletonBar, SkeletonHeader, SkeletonLine, SkeletonMeter, SkeletonText } from "../../components/skeleton.tsx";
import { t } from "../../i18n.ts";

const LINES = ["w30", "w50", "w30", "w60", "w40", "w50", "w30", "w60", "w40", "w30", "w50", "w40"] as const;

/** Lines of the bus: time, lane, author, text. */
export function EventsSkeleton() {
  return LINES.map((width, line) => (
    // All lines are alike: the index is a stable key.
    <div key={line} className="message">
      <span className="when">
        <SkeletonBar width="s48" />
      </span>
      <span className="rail">
        <i />
        <i />
        <i />
      </span>
      <span className="who">
        <SkeletonBar width="s48" />
      </span>
      <div className="said">
        <SkeletonBar width={width} />
      </div>
    </div>
  ));
}

export function RunSkeleton() {
  return (
    <div className="run">
      <SkeletonHeader actions={1} tabs={[t("Activity"), t("Verify"), t("Diff"), t("Details")]}>
        <div className="outcome">
          <SkeletonText lines={2} />
        </div>
        <div className="progress">
          <ol className="timeline">
            {Array.from({ length: 6 }, (_, step) => (
              <li key={step}>
                <SkeletonLine width="s56" />
                <SkeletonLine width="s48" />
              </li>
            ))}
          </ol>
          <SkeletonMeter count={4} />
        </div>
      </SkeletonHeader>
      <div className="panel">
        <div className="bus-bar" />
        <div>
          <EventsSkeleton />
        </div>
      </div>
    </div>
  );
}
