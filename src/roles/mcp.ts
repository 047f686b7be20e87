import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { serveToolsOnStdio } from '../mcp/over-stdio.ts';
import { type Outcome, restOver } from '../mcp/rest.ts';
import { serviceUrl } from './running-service.ts';

/** A service that is there answers at once; a client must not wait long for its tools. */
const HEALTH_DEADLINE_MS = 3_000;

/**
 * `waymark mcp`: the tool server on standard input and output, as a client of a running service. It starts where the
 * service does not answer, too: the service may be started later, and until then every call says what is wrong.
 * @returns the process's exit code
 */
export async function mcpCommand(config: Config): Promise<number> {
  const { apiKey } = config;
  if (apiKey === null) {
    tell('set WAYMARK_API_KEY to the API key that the tools shall use (demo.json in DATA_DIR has that of a trial)');
    return 2;
  }
  if (serviceUrl(config) === null) {
    tell(
      `no service is known: there is no address in ${config.dataDirectory}. Start one with "waymark serve", set DATA_DIR to its data directory, or set WAYMARK_URL`,
    );
    return 2;
  }
  // A service that was started again may be at another address: each call looks where it is.
  const send = (path: string, init: RequestInit) => fetch(`${serviceUrl(config) ?? ''}${path}`, init);
  const soon = AbortSignal.timeout(HEALTH_DEADLINE_MS);
  const health = await restOver(send, { 'x-api-key': apiKey }, soon)({ method: 'GET', path: '/api/health' });
  tell(`serving tools of ${serviceUrl(config)}${stateOf(health)}`);
  await serveToolsOnStdio({
    version: packageJson.version,
    apiKey,
    send,
    complain: (fault) => tell(fault.message),
  });
  return 0;
}

function stateOf(health: Outcome): string {
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

/** Standard output is the protocol's: what a person reads goes to standard error. */
function tell(message: string): void {
  process.stderr.write(`waymark mcp: ${message}\n`);
}
