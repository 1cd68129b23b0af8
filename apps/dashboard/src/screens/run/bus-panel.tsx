/**
 * The bus: rows in lanes by role. It follows its end until the reader scrolls up, and then counts what is new. Below 500 rows all are in
 * the page, so that the browser's own search finds them; above, those in sight.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import type { BusRole } from "@triptych/contracts/plain";
import type { Run } from "@triptych/contracts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { BusView } from "../../bus/follow-bus.ts";
import { lanesOf, type Row } from "../../bus/rows.ts";
import { useKeys } from "../../frame/keys.ts";
import { Icon } from "../../pieces/icon.tsx";
import { Late, SkeletonRows } from "../../pieces/loaded.tsx";
import { counted } from "../../words/format.ts";
import { BusRow } from "./bus-row.tsx";

const ALL_ROWS = 500;
const ROW_HEIGHT = 28;
/** As near to the end as this is at the end. */
const END_PX = 32;

export function BusPanel({ view, run }: { readonly view: BusView; readonly run: Run }) {
  const [lane, choose] = useState<BusRole | null>(null);
  const lanes = lanesOf(view.roles.keys());
  const rows = useMemo(
    () => (lane === null ? view.rows.slice() : view.rows.filter(({ role }) => role === lane)),
    [view, lane],
  );
  const errors = useMemo(() => rows.flatMap(({ isError }, place) => (isError ? [place] : [])), [rows]);
  const [chosen, setChosen] = useState(-1);
  const scroller = useRef<HTMLDivElement>(null);
  const tail = useTail(scroller, rows, run.phase === "active");
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (place) => rows[place].key,
    overscan: 10,
    enabled: rows.length > ALL_ROWS,
  });
  const height = virtual.getTotalSize();
  const { keep } = tail;
  useLayoutEffect(() => keep(), [rows, height, keep]);
  const jump = (step: 1 | -1) => {
    if (errors.length === 0) return;
    const at = step > 0 ? errors.find((place) => place > chosen) : errors.findLast((place) => place < chosen);
    const next = at ?? (step > 0 ? errors[0] : errors[errors.length - 1]);
    tail.follow(false);
    setChosen(next);
    if (rows.length > ALL_ROWS) virtual.scrollToIndex(next, { align: "center" });
    else scroller.current?.querySelectorAll("[data-row]")[next]?.scrollIntoView({ block: "center" });
  };
  useKeys({ f: () => tail.follow(!tail.isFollowing), n: () => jump(1), p: () => jump(-1) });

  return (
    <>
      <div className="bus-bar row">
        <div className="row lanes" role="group" aria-label="Lanes">
          {lanes.map((role) => (
            <button
              key={role}
              type="button"
              aria-pressed={lane === role}
              onClick={() => choose(lane === role ? null : role)}
            >
              {role} <i>{view.roles.get(role)}</i>
            </button>
          ))}
        </div>
        <span className="fill" />
        {errors.length === 0 ? null : (
          <span className="row">
            <span className="failure-text">{counted(errors.length, "error")}</span>
            <button type="button" title="Previous error (p)" onClick={() => jump(-1)}>
              Previous
            </button>
            <button type="button" title="Next error (n)" onClick={() => jump(1)}>
              Next
            </button>
          </span>
        )}
        <span className="soft">{LINES[view.line]}</span>
        <label className="check" title="Follow the end (f)">
          <input type="checkbox" checked={tail.isFollowing} onChange={({ target }) => tail.follow(target.checked)} />{" "}
          Follow
        </label>
      </div>
      <div className="bus-frame">
        <div
          ref={scroller}
          className="bus"
          role="log"
          aria-live="off"
          aria-label="Bus of the run"
          tabIndex={0}
          onScroll={tail.onScroll}
        >
          {rows.length === 0 ? <NothingYet view={view} /> : null}
          {rows.length <= ALL_ROWS ? (
            rows.map((row, place) => <BusRow key={row.key} row={row} lanes={lanes} isChosen={place === chosen} />)
          ) : (
            <div className="rows" style={{ blockSize: height }}>
              {virtual.getVirtualItems().map(({ key, index, start }) => (
                <div
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  className="placed"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <BusRow row={rows[index]} lanes={lanes} isChosen={index === chosen} />
                </div>
              ))}
            </div>
          )}
        </div>
        {tail.unseen > 0 ? (
          <button type="button" className="unseen" onClick={() => tail.follow(true)}>
            <Icon name="down" /> {tail.unseen} new
          </button>
        ) : null}
      </div>
      <Summary count={view.messages.length} />
    </>
  );
}

const LINES: Readonly<Record<BusView["line"], string>> = {
  opening: "",
  open: "live",
  lost: "interrupted, coming back",
  complete: "complete",
};

function NothingYet({ view }: { readonly view: BusView }) {
  if (view.line === "complete" || view.messages.length > 0) return <p className="soft quiet">Nothing was said here.</p>;
  return (
    <Late>
      <SkeletonRows rows={8} />
    </Late>
  );
}

const SUMMARY_MS = 5_000;

/** Told now and then how much is new, instead of line by line. */
function Summary({ count }: { readonly count: number }) {
  const [told, tell] = useState({ count, text: "" });
  const latest = useRef(count);
  useEffect(() => {
    latest.current = count;
  }, [count]);
  useEffect(() => {
    const timer = setInterval(() => {
      const fresh = latest.current;
      tell((before) =>
        fresh === before.count ? before : { count: fresh, text: counted(fresh - before.count, "new message") },
      );
    }, SUMMARY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p role="status" className="visually-hidden">
      {told.text}
    </p>
  );
}

interface Tail {
  readonly isFollowing: boolean;
  readonly unseen: number;
  readonly follow: (wish: boolean) => void;
  readonly onScroll: () => void;
  /** Keeps the end in sight while it is followed. */
  readonly keep: () => void;
}

/** Whoever scrolls up stops following; whoever comes back to the end follows again. */
function useTail(scroller: RefObject<HTMLDivElement | null>, rows: readonly Row[], isActive: boolean): Tail {
  const [isFollowing, setFollowing] = useState(isActive);
  const [seen, setSeen] = useState(0);
  const last = useRef(0);
  const refs = useRef({ isFollowing, count: rows.length });
  // Before the end is scrolled to in the same paint: effects run in their order.
  useLayoutEffect(() => {
    refs.current = { isFollowing, count: rows.length };
  }, [isFollowing, rows.length]);
  const [verbs] = useState(() => {
    const toEnd = () => {
      const element = scroller.current;
      if (element !== null) element.scrollTop = element.scrollHeight;
    };
    return {
      keep: () => {
        if (refs.current.isFollowing) toEnd();
      },
      follow: (wish: boolean) => {
        setSeen(refs.current.count);
        setFollowing(wish);
        if (wish) toEnd();
      },
      onScroll: () => {
        const element = scroller.current;
        if (element === null) return;
        const isUp = element.scrollTop < last.current - 2;
        last.current = element.scrollTop;
        const isAtEnd = element.scrollHeight - element.clientHeight - element.scrollTop < END_PX;
        if (isUp && !isAtEnd && refs.current.isFollowing) {
          setSeen(refs.current.count);
          setFollowing(false);
        }
        if (isAtEnd && !refs.current.isFollowing) setSeen(refs.current.count);
      },
    };
  });
  return { ...verbs, isFollowing, unseen: isFollowing || seen === 0 ? 0 : Math.max(0, rows.length - seen) };
}
