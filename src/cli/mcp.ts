import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../config.ts';
import { serveToolsOnStdio } from '../mcp/over-stdio.ts';
import { openRestConnection, type RestOutcome } from '../mcp/rest.ts';
import { command, refuse } from './command.ts';
import { serviceUrl } from './running-service.ts';

/** The MCP client waits for its tools during this time. */
const HEALTH_DEADLINE_MS = 3_000;

export const MCP = command({
  name: 'mcp',
  summary: 'Serves the tools of a running service to an MCP client, on standard input and output.',
  details: [
    'It also starts while the service does not answer: each call then reports the fault.',
    'It writes messages for people to standard error.',
  ],
  arguments: [],
  options: {},
  settings: ['DATA_DIR', 'WAYMARK_API_KEY', 'WAYMARK_URL'],
  exitCodes: {
    0: 'The client closed standard input.',
    1: 'A setting is invalid.',
    2: 'Invalid arguments, or the service or the API key is not set.',
  },
  run: serveTools,
});

async function serveTools(): Promise<number> {
  const config = readConfig(process.env, 'command');
  const { apiKey } = config;
  if (apiKey === null)
    return refuse(
      'mcp',
      'set WAYMARK_API_KEY to the API key that the tools shall use (demo.json in DATA_DIR has that of a trial)',
    );
  if (serviceUrl(config) === null)
    return refuse(
      'mcp',
      `no service is known: there is no address in ${config.dataDirectory}. Start one with "waymark serve", set DATA_DIR to its data directory, or set WAYMARK_URL`,
    );
  // A restarted service can have another address: each call reads it again.
  const send = (path: string, init: RequestInit) => fetch(`${serviceUrl(config) ?? ''}${path}`, init);
  const soon = AbortSignal.timeout(HEALTH_DEADLINE_MS);
  const health = await openRestConnection(send, { 'x-api-key': apiKey }, soon)({ method: 'GET', path: '/api/health' });
  tell(`serving tools of ${serviceUrl(config)}${stateOf(health)}`);
  await serveToolsOnStdio({
    version: packageJson.version,
    apiKey,
    send,
    onError: (fault) => tell(fault.message),
  });
  return 0;
}

function stateOf(health: RestOutcome): string {
  switch (health.kind) {
    case 'data':
      return '';
    case 'failure':
      return `, which refuses the key: ${health.failure.error}`;
    case 'no-answer':
      return `, which does not answer (${health.reason}): start it with "waymark serve", or set WAYMARK_URL`;
    default:
      return `, which is no Waymark service: it answered with status ${health.status}; set WAYMARK_URL`;
  }
}

/** Standard output belongs to the protocol. */
function tell(message: string): void {
  process.stderr.write(`waymark mcp: ${message}\n`);
}
