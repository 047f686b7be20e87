import { join } from 'node:path';
import { cached, type KeptAnswer, keptAnswer } from '../kept-answer.ts';

/** The script of the voucher page and its worker, by file name. */
type PageFiles = { readonly page: KeptAnswer; readonly worker: KeptAnswer };

const SOURCES = join(import.meta.dir, '../../pages/voucher');

/** The worker loads from this service only. Browsers compare it with their copy at most a day later. */
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
};

/** Bundled at the first request, for all apps of the process. */
export const pageFiles = cached(async (): Promise<PageFiles> => {
  const [page, worker] = await Promise.all(['page.ts', 'worker.ts'].map(bundled));
  if (page === undefined || worker === undefined) throw new Error('a script of the voucher page is missing');
  return { page, worker };
});

/** @throws AggregateError if the source cannot be bundled */
async function bundled(file: string): Promise<KeptAnswer> {
  const { outputs } = await Bun.build({ entrypoints: [join(SOURCES, file)], target: 'browser', minify: true });
  return keptAnswer((await outputs[0]?.text()) ?? '', HEADERS);
}
