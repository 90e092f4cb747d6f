import type { Readable, Writable } from 'node:stream';
import { createAcpServer, type AcpServerOptions } from './acp-server.ts';

export type RunAcpOptions = Omit<AcpServerOptions, 'protocolVersion'> & {
  input: Readable;
  output: Writable;
  /** Aborting it interrupts running turns and ends the server. */
  signal: AbortSignal;
};

/** Serves one client, until the input ends. */
export async function runAcp({ input, output, signal, ...options }: RunAcpOptions): Promise<void> {
  const { openAcpConnection, PROTOCOL } = await import('./acp-server-protocol.ts');
  const { handlers, describeError, close } = createAcpServer({ ...options, protocolVersion: PROTOCOL });
  const connection = openAcpConnection({ input, output, handlers, describeError });
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await Promise.race([connection.closed, stopped.promise]);
  // While the connection is open, the client still learns how its turns ended.
  await close();
  connection.close();
  signal.removeEventListener('abort', stop);
}
