import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { RestConnection } from './rest.ts';
import { bookTool } from './tools/book.ts';
import { inventoryTool } from './tools/inventory.ts';
import { recommendTool } from './tools/recommend.ts';

const TOOLS = [recommendTool, inventoryTool, bookTool];

const INSTRUCTIONS = `Waymark books travel activities in South-East Asia. recommend ranks activities for a traveller, inventory says what is free and at what price, book makes a real booking that is charged.
Recommend first where the wishes are open; send its log_id as context_log_id when you book. Before you call book, let the user agree to activity, date, guests and total price. Dates are those of the activity's city.
A tool that fails says what to do next; follow it. Never invent ids, dates or prices.`;

/** Opens the REST connection of one tool call; `signal` aborts when the client cancels the call. */
export type ConnectRest = (signal: AbortSignal) => RestConnection;

/**
 * Creates the tool server; the caller connects it to a transport. It has no state. The REST API validates the arguments,
 * so this uses the protocol's own handlers, which need no second set of schemas.
 */
export function createToolServer(version: string, connectRest: ConnectRest): McpServer['server'] {
  const { server } = new McpServer(
    { name: 'waymark', title: 'Waymark', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  // The list of tools never changes, so clients need not subscribe to it.
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map((tool) => tool.description) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const called = TOOLS.find((tool) => tool.description.name === params.name);
    if (called === undefined) {
      const names = TOOLS.map((tool) => tool.description.name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `there is no tool "${params.name}"; there are ${names}`);
    }
    return called.call(params.arguments ?? {}, connectRest(signal));
  });
  return server;
}
