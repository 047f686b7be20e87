import { api, read } from '../client.ts';
import type { ReportRow } from './figures.ts';

export type ReportName = 'conversions' | 'visits' | 'revenue';
/** Parameters of a report, without page and format. */
export type Asked = Readonly<Record<string, string>>;

const PAGE_ROWS = 1_000;
/** More groups than a person reads; the CSV file has all. */
export const MOST_PAGES = 5;

type Answer = {
  readonly data: unknown;
  readonly error: unknown;
  readonly status: number;
  readonly response: Response;
};
type Page = { readonly items: readonly ReportRow[]; readonly next_cursor: string | null };

function request(name: ReportName, query: Asked): Promise<Answer> {
  // Each report takes the columns that the pages of this folder send.
  return api.analytics[name].get({ query });
}

export type Rows = {
  readonly rows: readonly ReportRow[];
  /** False if the report has more groups than the page loads. */
  readonly complete: boolean;
  /** When the service answered, in milliseconds. */
  readonly asOfMs: number;
};

/** The rows of a report, page after page. */
export async function allRows(name: ReportName, asked: Asked, mostPages = MOST_PAGES): Promise<Rows> {
  const rows: ReportRow[] = [];
  let cursor: string | null = null;
  let asOfMs = Number.NaN;
  for (let page = 0; page < mostPages; page++) {
    const query: Asked = { ...asked, limit: String(PAGE_ROWS), ...(cursor !== null && { cursor }) };
    const answer = await request(name, query);
    const { items, next_cursor } = (await read(Promise.resolve(answer) as Promise<never>)) as Page;
    if (page === 0) asOfMs = Date.parse(answer.response.headers.get('date') ?? '');
    rows.push(...items);
    cursor = next_cursor;
    if (cursor === null) return { rows, complete: true, asOfMs };
  }
  return { rows, complete: false, asOfMs };
}
