/**
 * The bus: rows in lanes by role. It follows the end until the reader scrolls up, then counts new rows. Up to 500 rows are all in the
 * DOM, for the browser's search; above, only visible blocks. Full blocks do not rerender, and heights are stored per block.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import type { BusRole } from "@triptych/contracts/plain";
import type { Run } from "@triptych/contracts";
import { memo, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { useBus, type BusView, type FollowedBus } from "../../run-events/follow-bus.ts";
import { BLOCK_ROWS, type Block } from "../../run-events/virtual-blocks.ts";
import { useKeys } from "../../layout/hotkeys.ts";
import { Icon } from "../../components/icon.tsx";
import { Skeleton } from "../../components/query-boundary.tsx";
import { ROLE_LABELS } from "../../labels/bus.ts";
import { EventsSkeleton } from "./events-skeleton.tsx";
import { BusRow } from "./bus-row.tsx";
import { plural, t } from "../../i18n.ts";

const ALL_ROWS = 500;
const ROW_HEIGHT = 28;
/** Distance from the end that counts as the end. */
const END_PX = 32;

export function BusPanel({ bus, run }: { readonly bus: FollowedBus; readonly run: Run }) {
  const view = useBus(bus, (whole) => whole);
  const [lane, choose] = useState<BusRole | null>(null);
  const { virtualBlocks } = view;
  const { lanes } = virtualBlocks;
  const { blocks, count, errors } = lane === null ? virtualBlocks.all : virtualBlocks.of(lane);
  // An object, so that jumping to the selected row rerenders.
  const [{ index: chosen }, setChosen] = useState({ index: -1 });
  const scroller = useRef<HTMLDivElement>(null);
  const tail = useTail(scroller, count, run.phase === "active");
  const isLong = count > ALL_ROWS;
  const virtual = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => blocks[index].rows.length * ROW_HEIGHT,
    getItemKey: (index) => blocks[index].key,
    overscan: 1,
    enabled: isLong,
  });
  const height = isLong ? virtual.getTotalSize() : 0;
  const { keep } = tail;
  useLayoutEffect(() => keep(), [view, lane, height, keep]);
  const sought = useRef(-1);
  // The target exists once its block has rendered: one or two renders later.
  useLayoutEffect(() => {
    const row = sought.current < 0 ? null : rowIn(scroller.current, sought.current);
    if (row === null) return;
    sought.current = -1;
    row.scrollIntoView({ block: "center" });
  });
  const chosenKey = chosen < 0 ? -1 : (blocks[Math.floor(chosen / BLOCK_ROWS)]?.rows[chosen % BLOCK_ROWS]?.key ?? -1);
  const jump = (step: 1 | -1) => {
    if (errors.length === 0) return;
    const at = step > 0 ? errors.find((index) => index > chosen) : errors.findLast((index) => index < chosen);
    const next = at ?? (step > 0 ? errors[0] : errors[errors.length - 1]);
    const block = Math.floor(next / BLOCK_ROWS);
    tail.follow(false);
    setChosen({ index: next });
    sought.current = blocks[block].rows[next % BLOCK_ROWS].key;
    const element = scroller.current;
    if (element === null || rowIn(element, sought.current) !== null) return;
    element.scrollTop = virtual.getOffsetForIndex(block, "center")?.[0] ?? 0;
  };
  useKeys({ f: () => tail.follow(!tail.isFollowing), n: () => jump(1), p: () => jump(-1) });
  const visibleItems = isLong ? virtual.getVirtualItems() : [];

  return (
    <>
      <div className="bus-bar row">
        <div className="row lanes" role="group" aria-label={t("Lanes")}>
          {lanes.map((role) => (
            <button
              key={role}
              type="button"
              aria-pressed={lane === role}
              onClick={() => {
                choose(lane === role ? null : role);
                setChosen({ index: -1 });
              }}
            >
              {ROLE_LABELS[role]} <i>{virtualBlocks.messageCounts.get(role)}</i>
            </button>
          ))}
        </div>
        <span className="fill" />
        {errors.length === 0 ? null : (
          <span className="row">
            <span className="failure-text">{plural(errors.length, "{count} error", "{count} errors")}</span>
            <button type="button" title={`${t("Previous error")} (p)`} onClick={() => jump(-1)}>
              {t("Previous")}
            </button>
            <button type="button" title={`${t("Next error")} (n)`} onClick={() => jump(1)}>
              {t("Next")}
            </button>
          </span>
        )}
        <span className="soft">{LINES[view.line]}</span>
        <label className="check" title={`${t("Follow new output")} (f)`}>
          <input type="checkbox" checked={tail.isFollowing} onChange={({ target }) => tail.follow(target.checked)} />{" "}
          {t("Follow")}
        </label>
      </div>
      <div className="bus-frame">
        <div
          ref={scroller}
          className="bus"
          role="log"
          aria-live="off"
          aria-label={t("Activity of the run")}
          tabIndex={0}
          onScroll={tail.onScroll}
        >
          {count === 0 ? <NothingYet view={view} /> : null}
          {isLong ? (
            // In normal flow between two spacers, so that growth at the end is placed correctly before it is measured.
            <div
              style={{
                paddingBlockStart: visibleItems[0]?.start ?? 0,
                paddingBlockEnd: Math.max(0, height - (visibleItems.at(-1)?.end ?? 0)),
              }}
            >
              {visibleItems.map(({ key, index }) => (
                <div key={key} ref={virtual.measureElement} data-index={index} className="block">
                  <BlockOfRows block={blocks[index]} lanes={lanes} chosenKey={keyWithin(blocks[index], chosenKey)} />
                </div>
              ))}
            </div>
          ) : (
            blocks.map((block) => (
              <BlockOfRows key={block.key} block={block} lanes={lanes} chosenKey={keyWithin(block, chosenKey)} />
            ))
          )}
        </div>
        {tail.unseen > 0 ? (
          <button type="button" className="unseen" onClick={() => tail.follow(true)}>
            <Icon name="down" /> {plural(tail.unseen, "{count} new", "{count} new")}
          </button>
        ) : null}
      </div>
      <Summary count={view.count} />
    </>
  );
}

function rowIn(scroller: HTMLElement | null, key: number): Element | null {
  return scroller?.querySelector(`[data-row="${key}"]`) ?? null;
}

interface BlockProps {
  readonly block: Block;
  readonly lanes: readonly BusRole[];
  readonly chosenKey: number;
}

/** Rerenders when the block changes, not when others are added. */
const BlockOfRows = memo(({ block, lanes, chosenKey }: BlockProps) =>
  block.rows.map((row) => <BusRow key={row.key} row={row} lanes={lanes} isChosen={row.key === chosenKey} />),
);

/** The selected row, only for the block that contains it. */
function keyWithin({ rows }: Block, key: number): number {
  return rows.some((row) => row.key === key) ? key : -1;
}

const LINES: Readonly<Record<BusView["line"], string>> = {
  opening: "",
  open: t("live"),
  lost: t("interrupted, reconnecting"),
  complete: t("complete"),
};

function NothingYet({ view }: { readonly view: BusView }) {
  if (view.line === "complete" || view.count > 0) return <p className="soft quiet">{t("No messages.")}</p>;
  return (
    <Skeleton>
      <EventsSkeleton />
    </Skeleton>
  );
}

const SUMMARY_MS = 5_000;

/** Announces the number of new rows from time to time, instead of each line. */
function Summary({ count }: { readonly count: number }) {
  const [announced, announce] = useState({ count, text: "" });
  const latest = useRef(count);
  useEffect(() => {
    latest.current = count;
  }, [count]);
  useEffect(() => {
    const timer = setInterval(() => {
      const fresh = latest.current;
      announce((before) =>
        fresh === before.count
          ? before
          : { count: fresh, text: plural(fresh - before.count, "{count} new message", "{count} new messages") },
      );
    }, SUMMARY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p role="status" className="visually-hidden">
      {announced.text}
    </p>
  );
}

interface Tail {
  readonly isFollowing: boolean;
  readonly unseen: number;
  readonly follow: (isEnabled: boolean) => void;
  readonly onScroll: () => void;
  /** Scrolls to the end while following. */
  readonly keep: () => void;
}

/** Scrolling up stops following; returning to the end resumes it. */
function useTail(scroller: RefObject<HTMLDivElement | null>, count: number, isActive: boolean): Tail {
  const [isFollowing, setFollowing] = useState(isActive);
  const [seen, setSeen] = useState(0);
  const last = useRef(0);
  const refs = useRef({ isFollowing, count });
  // Before the scroll to the end in the same paint: effects run in order.
  useLayoutEffect(() => {
    refs.current = { isFollowing, count };
  }, [isFollowing, count]);
  const [verbs] = useState(() => {
    const toEnd = () => {
      const element = scroller.current;
      if (element !== null) element.scrollTop = element.scrollHeight;
    };
    return {
      keep: () => {
        if (refs.current.isFollowing) toEnd();
      },
      follow: (isEnabled: boolean) => {
        setSeen(refs.current.count);
        setFollowing(isEnabled);
        if (isEnabled) toEnd();
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
  return { ...verbs, isFollowing, unseen: isFollowing || seen === 0 ? 0 : Math.max(0, count - seen) };
}
