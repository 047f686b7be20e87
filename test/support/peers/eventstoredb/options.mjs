import { parseArgs } from 'node:util';

/**
 * @typedef {object} Options
 * @property {string} host
 * @property {number} port 0 for any that is free
 * @property {string} data the file that keeps the events
 * @property {boolean} durable whether an answer waits until the disk has what was appended
 * @property {boolean} batchAppend whether the server can take appends in batches
 * @property {string} serverVersion what the server says that it is
 * @property {boolean} control whether commands come in by standard input; the server then ends with it
 * @property {{ cert: string, key: string } | null} tls files
 * @property {{ user: string, password: string } | null} account
 */

export const USAGE =
  'node server.mjs --data FILE [--host HOST] [--port PORT] [--no-sync] [--no-batch-append] [--control] ' +
  '[--server-version VERSION] [--tls-cert FILE --tls-key FILE] [--user NAME --password PASSWORD]';

/**
 * @param {string[]} args
 * @returns {Options}
 * @throws {Error} where they are not to be understood
 */
export function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      data: { type: 'string' },
      'no-sync': { type: 'boolean', default: false },
      'no-batch-append': { type: 'boolean', default: false },
      'server-version': { type: 'string', default: '24.2.0' },
      control: { type: 'boolean', default: false },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      user: { type: 'string' },
      password: { type: 'string' },
    },
  });
  if (values.data === undefined) throw new Error('--data is missing');
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${values.port} is no port`);
  const [cert, key] = [values['tls-cert'], values['tls-key']];
  const { user, password } = values;
  if ((cert === undefined) !== (key === undefined)) throw new Error('--tls-cert and --tls-key go together');
  if ((user === undefined) !== (password === undefined)) throw new Error('--user and --password go together');
  return {
    host: values.host,
    port,
    data: values.data,
    durable: !values['no-sync'],
    batchAppend: !values['no-batch-append'],
    serverVersion: values['server-version'],
    control: values.control,
    tls: cert === undefined || key === undefined ? null : { cert, key },
    account: user === undefined || password === undefined ? null : { user, password },
  };
}
