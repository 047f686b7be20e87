import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ROOT } from './files.ts';
import type { Credentials, Service } from './service.ts';

/** The result of a tool call. The client checks it against the output schema if it has listed the tools. */
export type ToolAnswer = {
  /** Whether it is a tool error. */
  readonly failed: boolean;
  /** The texts for clients that read no JSON, and the JSON as text. */
  readonly texts: readonly string[];
  /** The structured content, or the failure in `_meta`; null if there is none. */
  readonly content: Readonly<Record<string, unknown>> | null;
};

/** The official client, connected, with the tools listed. `await using` closes it. */
export type ToolClient = AsyncDisposable & {
  readonly client: Client;
  call(name: string, args: object): Promise<ToolAnswer>;
};

type Fetch = (url: URL | string, init?: RequestInit) => Promise<Response>;

/** Over streamable HTTP, with another `fetch` if given. */
export function connectOverHttp(
  url: string,
  headers: Credentials,
  fetch: Fetch = globalThis.fetch,
): Promise<ToolClient> {
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers }, fetch }));
}

/** The same, whose requests go to the router of a service without a port. */
export function connectTo(service: Service, headers: Credentials): Promise<ToolClient> {
  return connectOverHttp('http://localhost', headers, (url, init) => service.send(new URL(url).pathname, init));
}

export type OverStdio = ToolClient & {
  readonly pid: number;
  /** The program's standard error so far. */
  errorOutput(): string;
};

/** Starts `waymark mcp` as the client's own child process, and talks to it over its standard input and output. */
export async function connectOverStdio(env: Readonly<Record<string, string>>): Promise<OverStdio> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['src/main.ts', 'mcp'],
    cwd: ROOT,
    env: { ...env },
    stderr: 'pipe',
  });
  let errorOutput = '';
  transport.stderr?.on('data', (chunk: Uint8Array) => {
    errorOutput += Buffer.from(chunk).toString('utf8');
  });
  const tools = await connected(transport);
  return { ...tools, pid: transport.pid ?? 0, errorOutput: () => errorOutput };
}

async function connected(transport: Transport): Promise<ToolClient> {
  const client = new Client({ name: 'waymark-test', version: '1.0.0' });
  await client.connect(transport);
  await client.listTools();
  return {
    client,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: { ...args } })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function answerOf(result: Awaited<ReturnType<Client['callTool']>>): ToolAnswer {
  // The client has parsed it; its type also covers results of old protocol versions.
  const { isError, content, structuredContent, _meta } = result as {
    readonly isError?: boolean;
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly 'waymark/failure'?: Readonly<Record<string, unknown>> };
  };
  return {
    failed: isError ?? false,
    texts: content.map(({ text }) => text),
    content: structuredContent ?? _meta?.['waymark/failure'] ?? null,
  };
}
