import type { Answer } from './client.ts';
import { type AgentContext, type Choice, CITY } from './context.ts';
import { at, listAt, parsed, textAt } from './json.ts';
import { StepFailed } from './step.ts';

const PROTOCOL = '2025-06-18';

/** Checks that the MCP server lists its three tools and answers one. */
export async function callTools({ date }: Choice, { agent, step }: AgentContext): Promise<void> {
  const rpc = async (id: number, method: string, params: object): Promise<unknown> => {
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': PROTOCOL };
    const answer = await agent.post('/mcp', { jsonrpc: '2.0', id, method, params }, headers);
    const result = at(messageOf(answer), 'result');
    if (result === undefined) throw new StepFailed(method, 'a result', `${answer.status} ${answer.text}`);
    return result;
  };
  await step('MCP tools', async (check) => {
    const clientInfo = { name: 'waymark-journey', version: '1' };
    const hello = await rpc(1, 'initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    const tools = listAt(await rpc(2, 'tools/list', {}), 'tools').map((tool) => textAt(tool, 'name'));
    const names = tools.toSorted((one, other) => one.localeCompare(other)).join(', ');
    check.holds('the tools are book, inventory, recommend', names === 'book, inventory, recommend', names);
    check.fact(`${textAt(hello, 'serverInfo.name')} ${textAt(hello, 'serverInfo.version')}: ${names}`);
  });
  await step('MCP inventory tool', async (check) => {
    const result = await rpc(3, 'tools/call', { name: 'inventory', arguments: { city: CITY, date } });
    const items = listAt(result, 'structuredContent.inventory');
    check.holds('it returns the inventory', items.length > 0, result);
    check.fact(`${items.length} activities`);
  });
}

/** Checks the reference for people (/docs), programs (/openapi.json) and agents (/llms.txt). */
export async function readReference({ anybody, step }: AgentContext): Promise<void> {
  await step('API reference', async (check) => {
    const document = await anybody.get('/openapi.json');
    const operation = at(document.body, 'paths./api/b2a/execute_booking.post');
    check.holds('/openapi.json describes execute_booking', operation !== undefined, document.text);
    const guide = await anybody.get('/llms.txt');
    check.holds('/llms.txt describes execute_booking', guide.text.includes('execute_booking'), guide.text);
    const page = await anybody.get('/docs');
    check.holds('GET /docs answers 200', page.status === 200, `${page.status} ${page.text}`);
    check.fact(`OpenAPI ${textAt(document.body, 'openapi')}`);
  });
}

/** A JSON-RPC response, as plain JSON or as the only message of an event stream. */
function messageOf({ body, text }: Answer): unknown {
  if (body !== undefined) return body;
  const data = text.split(/\r?\n/).find((line) => line.startsWith('data:'));
  return data === undefined ? undefined : parsed(data.slice('data:'.length));
}
