import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, request as startRequest } from 'node:http';

/** Where an emulator serves a deployed API: it selects the API by the Host header. */
interface Address {
  readonly url: string;
  readonly host: string;
}

/** @param apiUrl the URL that the API would have on AWS */
export function addressAt(endpoint: string, apiUrl: string): Address {
  const { host, pathname } = new URL(apiUrl);
  const [apiId] = host.split('.');
  return { url: endpoint + pathname, host: `${apiId}.execute-api.localhost` };
}

/** A proxy on loopback, for clients that cannot send another Host header than that of their URL. */
export interface Forwarder extends AsyncDisposable {
  /** The API's base URL. */
  readonly url: string;
}

/** @param apiUrl the URL that the API would have on AWS */
export async function startForwarder(endpoint: string, apiUrl: string): Promise<Forwarder> {
  const { host } = addressAt(endpoint, apiUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = startRequest(new URL(url, endpoint), { method, headers: { ...headers, host } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const { pathname } = new URL(apiUrl);
  return { url: `http://127.0.0.1:${address.port}${pathname}`, [Symbol.asyncDispose]: close };
}

/** An address on which a process accepts connections from this machine only: 127.0.0.0/8, ::1, or the former mapped into IPv6. */
const LOOPBACK = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

export interface ListeningSocket {
  readonly port: number;
  readonly isLoopback: boolean;
}

/**
 * Reads `/proc`, which only Linux has.
 * @returns the sockets on which the process and its descendants accept connections
 */
export function listeningSockets(pid: number): ListeningSocket[] {
  const inodes = new Set(descendantsOf(pid).flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n'));
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (state !== LISTENING || !inodes.has(inode)) return [];
    const [address = '', port = ''] = local.split(':');
    return [{ port: Number.parseInt(port, 16), isLoopback: LOOPBACK.test(address) }];
  });
}

function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
  return [pid, ...children.flatMap(descendantsOf)];
}

/** @returns undefined if the process has ended */
function parentOf(pid: number): number | undefined {
  const status = ifThere(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(status ?? '') ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** @returns the inodes of the process's sockets */
function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return (ifThere(() => readdirSync(folder)) ?? []).flatMap((descriptor) => {
    const target = ifThere(() => readlinkSync(`${folder}/${descriptor}`));
    const [, inode] = /^socket:\[(\d+)\]$/.exec(target ?? '') ?? [];
    return inode === undefined ? [] : [inode];
  });
}

/** @returns undefined if the process or its descriptor is gone */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(Object(error).code)) return undefined;
    throw error;
  }
}
