/** What a run looks like before it is there. */
import { Bone, HeadBones, LineBone, MeterBones, TextBones } from "../../components/skeleton.tsx";

const LINES = ["w30", "w50", "w30", "w60", "w40", "w50", "w30", "w60", "w40", "w30", "w50", "w40"] as const;

/** Lines of the bus: when, lanes, who, what. */
export function BusBones() {
  return LINES.map((width, line) => (
    // They are all alike: a line is its place.
    <div key={line} className="message">
      <span className="when">
        <Bone width="s48" />
      </span>
      <span className="rail">
        <i />
        <i />
        <i />
      </span>
      <span className="who">
        <Bone width="s48" />
      </span>
      <div className="said">
        <Bone width={width} />
      </div>
    </div>
  ));
}

export function RunBones() {
  return (
    <div className="run">
      <HeadBones actions={1} tabs={["Activity", "Verify", "Diff", "Details"]}>
        <div className="outcome">
          <TextBones lines={2} />
        </div>
        <div className="progress">
          <ol className="timeline">
            {Array.from({ length: 6 }, (_, step) => (
              <li key={step}>
                <LineBone width="s56" />
                <LineBone width="s48" />
              </li>
            ))}
          </ol>
          <MeterBones count={4} />
        </div>
      </HeadBones>
      <div className="panel">
        <div className="bus-bar" />
        <div>
          <BusBones />
        </div>
      </div>
    </div>
  );
}
