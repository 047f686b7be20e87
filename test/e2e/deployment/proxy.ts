import { readFileSync } from 'node:fs';
import { readSource } from '../../support/files.ts';
import { Program } from '../../support/process.ts';
import type { TemporaryDirectory } from '../../support/temporary-directory.ts';

export type Proxy = {
  readonly program: Program;
  readonly url: string;
  /** The authority that signed its certificate, PEM. */
  readonly ca: string;
};

/**
 * The real Caddy with docs/deploy/Caddyfile. Only what belongs to this machine differs: names of nodes become their addresses, and
 * Caddy gets free ports and a directory of the test's own.
 * @param nodes URLs of the API nodes, in the order in which the file names them
 * @throws where Caddy is missing or does not start
 */
export async function startProxy(nodes: readonly string[], directory: TemporaryDirectory): Promise<Proxy> {
  const caddy = Bun.which('caddy');
  if (caddy === null) throw new Error('there is no caddy here: apt-get install caddy');
  const [httpPort, httpsPort] = freePorts(2);
  const url = `https://localhost:${httpsPort}`;
  await Bun.write(directory.file('Caddyfile'), localized(nodes, directory, `http_port ${httpPort}`));
  const program = new Program([caddy, 'run', '--config', directory.file('Caddyfile'), '--adapter', 'caddyfile'], {
    PUBLIC_URL: url,
    HOME: directory.path,
  });
  if ((await program.stderr.line(/serving initial configuration/)) === null)
    throw new Error(`Caddy did not start:\n${program.stderr.text}`);
  await program.stderr.line(/certificate obtained successfully/);
  const ca = readFileSync(directory.file('certificates/pki/authorities/local/root.crt'), 'utf8');
  // Caddy logs that it has the certificate a moment before it uses it.
  while (!(await speaksTls(url, ca)));
  return { program, url, ca };
}

async function speaksTls(url: string, ca: string): Promise<boolean> {
  try {
    await fetch(`${url}/livez`, { tls: { ca } });
    return true;
  } catch (fault) {
    if (String(fault).includes('TLS handshake failed')) return false;
    throw fault;
  }
}

function localized(nodes: readonly string[], directory: TemporaryDirectory, ports: string): string {
  const own = `{\n\tadmin off\n\tstorage file_system ${directory.file('certificates')}\n\t${ports}\n`;
  let text = readSource('docs/deploy/Caddyfile').replace('{\n', own);
  for (const [index, node] of nodes.entries()) {
    const name = `api-${index + 1}:3000`;
    if (!text.includes(name)) throw new Error(`the Caddyfile does not name ${name}`);
    text = text.replace(name, new URL(node).host);
  }
  return text;
}

/** All held at once, so that they differ. */
function freePorts(count: number): number[] {
  const servers = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } }),
  );
  const ports = servers.map(({ port }) => port);
  for (const server of servers) server.stop(true);
  return ports;
}
