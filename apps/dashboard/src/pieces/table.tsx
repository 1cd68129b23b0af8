/** A table that scrolls inside where it is too wide, so that the page does not. */
import { useId } from "react";

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Left out where the screen is narrower: `mid` below 1100 pixels, `low` below 760. */
  readonly rank?: "mid" | "low";
  /** Named for who does not see the column. */
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

export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  const text = names.filter((name) => name !== false && name !== undefined).join(" ");
  return text === "" ? undefined : text;
}
