import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Listens on a free port of loopback. `close` ends all connections, also those that a fault keeps open. */
export async function listenOnLoopback(
  server: Server,
  holdProcess: boolean,
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!holdProcess) socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  if (!holdProcess) server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
