import { type Answer, NOBODY } from './client.ts';
import { CITY, type JourneyContext, type OwnKey } from './context.ts';
import { at, listAt, parsed, textAt } from './json.ts';
import { StepFailed } from './step.ts';

const PROTOCOL = '2025-06-18';
const TOOLS = ['book', 'inventory', 'recommend'];

/** Checks that the MCP server lists its three tools and answers one. */
export async function callTools(key: OwnKey, { ask, steps }: JourneyContext): Promise<void> {
  const rpc = async (id: number, method: string, params: object): Promise<unknown> => {
    const answer = await ask({
      method: 'POST',
      path: '/mcp',
      as: key.credential,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': PROTOCOL },
      body: { jsonrpc: '2.0', id, method, params },
    });
    const result = at(messageOf(answer), 'result');
    if (result === undefined) throw new StepFailed(method, 'a result', `${answer.status} ${answer.text}`);
    return result;
  };
  await steps.run('MCP tools', async (check) => {
    const clientInfo = { name: 'waymark-journey', version: key.version };
    const hello = await rpc(1, 'initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    const server = `${textAt(hello, 'serverInfo.name')} ${textAt(hello, 'serverInfo.version')}`;
    const names = listAt(await rpc(2, 'tools/list', {}), 'tools').map((tool) => textAt(tool, 'name'));
    const found = names.toSorted((one, other) => one.localeCompare(other));
    check.holds(`the tools are ${TOOLS.join(', ')}`, found.join() === TOOLS.join(), found);
    check.fact(`${server}: ${found.join(', ')}`);
  });
  await steps.run('MCP inventory tool', async (check) => {
    const result = await rpc(3, 'tools/call', { name: 'inventory', arguments: { city: CITY } });
    check.holds('it is no error', at(result, 'isError') !== true, result);
    check.holds('it says something to people', textAt(result, 'content.0.text') !== '', at(result, 'content'));
    const items = listAt(result, 'structuredContent.inventory');
    const whole = items.length > 0 && items.every((item) => textAt(item, 'activity_id') !== '');
    check.holds('structuredContent holds the inventory', whole, at(result, 'structuredContent'));
    check.fact(`${items.length} activities`);
  });
}

/** Checks the reference for people (/docs), programs (/openapi.json) and agents (/llms.txt). */
export async function readReference({ ask, steps }: JourneyContext): Promise<void> {
  await steps.run('API reference', async (check) => {
    const document = await ask({ path: '/openapi.json', as: NOBODY });
    check.holds('GET /openapi.json answers 200', document.status === 200, `${document.status} ${document.text}`);
    const paths = at(document.body, 'paths');
    for (const path of ['/api/b2a/recommend', '/api/b2a/execute_booking', '/api/b2a/inventory']) {
      const known = typeof paths === 'object' && paths !== null && Object.hasOwn(paths, path);
      check.holds(`openapi.json describes ${path}`, known, Object.keys(paths ?? {}));
    }
    const page = await ask({ path: '/docs', as: NOBODY });
    const type = page.headers.get('content-type') ?? '';
    check.holds('GET /docs is a page', page.status === 200 && type.startsWith('text/html'), `${page.status} ${type}`);
    for (const [, script = ''] of page.text.matchAll(/<script[^>]* src="([^"]*)"/g)) {
      const own = script.startsWith('/') && !script.startsWith('//');
      const { status } = own ? await ask({ path: script, as: NOBODY }) : { status: 'elsewhere' };
      check.holds('/docs takes its scripts from the service itself', status === 200, `${script}: ${status}`);
    }
    const guide = await ask({ path: '/llms.txt', as: NOBODY });
    const tells = guide.status === 200 && guide.text.includes('execute_booking');
    check.holds('GET /llms.txt tells how to book', tells, `${guide.status} ${guide.text}`);
    check.fact(`OpenAPI ${textAt(document.body, 'openapi')}, ${Object.keys(paths ?? {}).length} paths`);
  });
}

/** A JSON-RPC response, as plain JSON or as the only message of an event stream. */
function messageOf({ body, text }: Answer): unknown {
  if (body !== undefined) return body;
  const data = text.split(/\r?\n/).find((line) => line.startsWith('data:'));
  return data === undefined ? undefined : parsed(data.slice('data:'.length));
}
