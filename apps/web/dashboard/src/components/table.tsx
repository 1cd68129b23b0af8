/** A table that scrolls horizontally by itself, so that the page does not. */
import { useId } from "react";
import { SkeletonBar, type SkeletonWidth } from "./skeleton.tsx";

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly isWide?: boolean;
  /** Hidden on narrower screens: `high` below 1700 pixels, `mid` below 1100, `low` below 760, `least` on a phone. */
  readonly rank?: "high" | "mid" | "low" | "least";
  /** The name for screen readers. */
  readonly isUnnamed?: boolean;
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly children: React.ReactNode;
}

export function Table({ caption, columns, children }: TableProps) {
  const id = useId();
  return (
    <div className="table" role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id} className="visually-hidden">
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, rank, isUnnamed }) => (
              <th key={name} scope="col" className={classes(isNumber === true && "number", rank)}>
                {isUnnamed === true ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Skeleton: the real header, and rows of the final height. */
export function TableSkeleton({ columns, rows }: { readonly columns: readonly Column[]; readonly rows: number }) {
  return (
    <div className="table" aria-hidden="true">
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, rank, isUnnamed }) => (
              <th key={name} className={classes(isNumber === true && "number", rank)}>
                {isUnnamed === true ? null : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr key={row}>
              {columns.map(({ name, isNumber, isWide, rank }, index) => (
                <td
                  key={name}
                  className={classes(isNumber === true ? "number" : isWide === true ? "wide" : "fit", rank)}
                >
                  <SkeletonBar
                    width={isWide === true ? WIDE[row % WIDE.length] : NARROW[(row + index) % NARROW.length]}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const WIDE: readonly SkeletonWidth[] = ["w60", "w40", "w50", "w30"];
const NARROW: readonly SkeletonWidth[] = ["s56", "s72", "s48"];

export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  const text = names.filter((name) => name !== false && name !== undefined).join(" ");
  return text === "" ? undefined : text;
}
