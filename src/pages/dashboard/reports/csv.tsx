import { useEffect, useState } from 'preact/hooks';
import { csv } from '../../../http/analytics/csv.ts';
import { Done, Fault } from '../components/page.tsx';
import type { Column } from '../components/table.tsx';
import { asError } from '../use-answer.ts';
import { numberIn, percent, type ReportRow, textIn } from './figures.ts';
import { GroupName } from './group-name.tsx';
import type { Asked } from './rows.ts';

type Value = string | number;
/** A column of a table, and what stands for it in the file. */
export type ReportColumn = Column<ReportRow> & {
  readonly file: Readonly<Record<string, (row: ReportRow) => Value>>;
};

/** The column of a report's groups; of activities the file has the id and the title. */
export function groupColumn(title: string, by: string): ReportColumn {
  const id = { [by]: (row: ReportRow) => textIn(row, by) };
  const file = by === 'activity_id' ? { ...id, title: (row: ReportRow) => textIn(row, 'title') } : id;
  return { title, cell: (row) => <GroupName row={row} by={by} />, file };
}

export function countColumn(title: string, name: string): ReportColumn {
  const value = (row: ReportRow) => numberIn(row, name);
  return { title, align: 'end', cell: (row) => value(row).toLocaleString('en'), file: { [name]: value } };
}

/** A part of a whole: in percent on the page, as a number up to 1 in the file, which leaves it empty without a whole. */
export function rateColumn(title: string, name: string, part: string, whole: (row: ReportRow) => number): ReportColumn {
  const value = (row: ReportRow): Value =>
    whole(row) === 0 ? '' : Number((numberIn(row, part) / whole(row)).toFixed(4));
  return { title, align: 'end', cell: (row) => percent(numberIn(row, part), whole(row)), file: { [name]: value } };
}

/** The rows of a page's table as CSV, in its order. Totals are left out: who adds up the file would count twice. */
export function fileOf(columns: readonly ReportColumn[], rows: readonly ReportRow[]): string {
  const fields = columns.flatMap(({ file }) => Object.entries(file));
  return csv(
    fields.map(([name]) => name),
    rows.map((row) => fields.map(([, value]) => value(row))),
  );
}

/** The name of a file, with all filters of its page. */
export function fileName(report: string, { city, activity_id, from, to }: Asked, ...others: readonly string[]): string {
  const parts = [report, ...others, city, activity_id, from, to].map((part) => part ?? '');
  const words = parts.map((part) => part.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  return `${words.filter((word) => word !== '').join('-')}.csv`;
}

/**
 * A button that saves what the page shows, and the message below it, which ends when the page shows something else.
 *
 * @param text loads the file; null while there is nothing to save
 */
export function useCsv(name: string, text: (() => Promise<string>) | null) {
  const [state, setState] = useState<'idle' | 'loading' | 'saved'>('idle');
  const [fault, setFault] = useState<Error | null>(null);
  useEffect(() => {
    setState('idle');
    setFault(null);
  }, [name]);
  const download = async (): Promise<void> => {
    if (text === null) return;
    setState('loading');
    setFault(null);
    try {
      save(await text(), name);
      setState('saved');
    } catch (thrown) {
      setFault(asError(thrown));
      setState('idle');
    }
  };
  const button = (
    <button type="button" disabled={state === 'loading' || text === null} onClick={() => void download()}>
      {state === 'loading' ? 'Loading…' : 'Download CSV'}
    </button>
  );
  const message = (
    <>
      <Fault of={fault} />
      <Done>{state === 'saved' ? `${name} is saved.` : null}</Done>
    </>
  );
  return { button, message };
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
