import type { ComponentChildren } from 'preact';
import type { Pages } from '../use-answer.ts';
import { Changed } from './changed.tsx';
import { Empty, Fault, Loading } from './page.tsx';

export type Column<T> = {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly align?: 'end';
};

/**
 * On a phone each row is a card in which the column titles precede the values.
 *
 * @param caption what the table holds; screen readers read it, and it is shown if `shown`
 */
export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
  shown = false,
  total,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly shown?: boolean;
  /** The last row, set apart. */
  readonly total?: T | undefined;
}) {
  const cellsOf = (row: T) =>
    columns.map(({ title, cell, align }, index) =>
      index === 0 ? (
        <th key={title} scope="row" class={align} data-title={title}>
          {cell(row)}
        </th>
      ) : (
        <td key={title} class={align} data-title={title}>
          {cell(row)}
        </td>
      ),
    );
  return (
    <div class="table">
      <table>
        <caption class={shown ? '' : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" class={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>{cellsOf(row)}</tr>
          ))}
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr>{cellsOf(total)}</tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** A list of `usePages` as a table, with the button for its next page. */
export function PagedTable<T>({
  pages,
  empty,
  what,
  ...table
}: {
  readonly pages: Pages<T, unknown>;
  readonly empty: string;
  readonly what?: string;
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
}) {
  return (
    <PagedList pages={pages} empty={empty} what={what}>
      <Table {...table} rows={pages.items} />
    </PagedList>
  );
}

/** A list of `usePages`, with the button for its next page, and a notice if what it shows has changed. */
export function PagedList({
  pages: { items, fault, loading, more, foundNothing, outdated, next, reload },
  empty,
  what = 'entries',
  children,
}: {
  readonly pages: Pages<unknown, unknown>;
  readonly empty: string;
  /** The items in a word. */
  readonly what?: string | undefined;
  /** The items that are loaded; shown if there are any. */
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <Fault of={fault} retry={reload} />
      {outdated && <Changed what="The list has changed." show={reload} />}
      {items.length > 0 && children}
      {items.length === 0 && fault === null && (loading ? <Loading /> : <Empty>{empty}</Empty>)}
      {foundNothing && (
        <p class="soft" role="status">
          {more ? `No more ${what} so far.` : `No more ${what}.`}
        </p>
      )}
      {more && (
        <p>
          <button type="button" onClick={next} disabled={loading}>
            Show more
          </button>{' '}
          <span class="soft">{items.length.toLocaleString('en')} shown</span>
        </p>
      )}
    </>
  );
}

export type Bar = {
  /** One of its chart. */
  readonly label: string;
  /** What stands for the label, such as a link; by default the label. */
  readonly name?: ComponentChildren;
  readonly value: number;
  /** The value in words; by default the number. */
  readonly text?: string;
};

/**
 * A bar chart that is a table: each row has its value in words and as a bar.
 *
 * @param most the value of a bar of full length, if several charts have one scale; by default the largest
 */
export function Bars({
  caption,
  label,
  unit,
  bars,
  most = 0,
}: {
  readonly caption: string;
  readonly label: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  readonly most?: number;
}) {
  const longest = Math.max(most, ...bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  return (
    <table class="bars">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col" class="end">
            {unit}
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {bars.map(({ label: key, name = key, value, text }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td class="end">{text ?? value.toLocaleString('en')}</td>
            <td aria-hidden="true">
              <span
                class={value === 0 ? 'bar none' : 'bar'}
                style={{ inlineSize: `${(100 * Math.abs(value)) / longest}%` }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
