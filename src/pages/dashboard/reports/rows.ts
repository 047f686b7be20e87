import { api, read } from '../client.ts';
import type { ReportRow } from './figures.ts';

export type ReportName = 'conversions' | 'visits' | 'revenue';
/** Parameters of a report, without page and format. */
export type Asked = Readonly<Record<string, string>>;

const PAGE_ROWS = 1_000;
/** More groups than a person reads; the CSV file has all. */
const MOST_PAGES = 5;

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
};

/** The rows of a report, page after page. */
export async function allRows(name: ReportName, asked: Asked): Promise<Rows> {
  const rows: ReportRow[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query: Asked = { ...asked, limit: String(PAGE_ROWS), ...(cursor !== null && { cursor }) };
    const answer = (await read(request(name, query) as Promise<never>)) as Page;
    rows.push(...answer.items);
    cursor = answer.next_cursor;
    if (cursor === null) return { rows, complete: true };
  }
  return { rows, complete: false };
}

/** The whole report as CSV: its pages one after another, with one header row. */
export async function csvOf(name: ReportName, asked: Asked): Promise<string> {
  let text = '';
  let cursor: string | null = null;
  do {
    const query: Asked = { ...asked, format: 'csv', limit: String(PAGE_ROWS), ...(cursor !== null && { cursor }) };
    const answer = await request(name, query);
    if (typeof answer.data !== 'string') {
      // Throws the refusal.
      await read(Promise.resolve(answer) as Promise<never>);
      throw new Error('The service has not answered with a table.');
    }
    text += text === '' ? answer.data : answer.data.slice(answer.data.indexOf('\n') + 1);
    const next = /<([^>]+)>; rel="next"/.exec(answer.response.headers.get('link') ?? '')?.[1];
    cursor = next === undefined ? null : new URL(next, location.origin).searchParams.get('cursor');
  } while (cursor !== null);
  return text;
}
