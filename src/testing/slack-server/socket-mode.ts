import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, parseJson } from '../../base/index.ts';
import { createDeliveries } from './deliveries.ts';

/** The WebSockets of an app. */
export type SocketMode = ReturnType<typeof createSocketMode>;

export function createSocketMode({ isRevoked }: { isRevoked(): boolean }) {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const silent = new WeakSet<WebSocket>();
  const deliveries = createDeliveries(() => [...open].filter((connection) => !silent.has(connection)));
  let lastTicket = 0;

  function onConnection(connection: WebSocket): void {
    open.add(connection);
    connection.on('error', () => undefined);
    connection.on('message', (data: Buffer) => {
      const message = parseJson(data.toString('utf8'));
      const id = isJsonObject(message) ? message['envelope_id'] : undefined;
      // Slack closes connections of apps that do not follow the protocol.
      if (typeof id !== 'string' || !deliveries.acknowledge(id)) connection.close(1008, 'invalid_envelope');
    });
    connection.once('close', () => {
      open.delete(connection);
      deliveries.wake();
    });
    const hello = { type: 'hello', num_connections: open.size, connection_info: { app_id: 'A0000001' } };
    connection.send(JSON.stringify(hello));
    deliveries.wake();
  }

  /** The package does not offer the socket below a WebSocket. */
  const sockets = () => [...open].map((connection) => (connection as unknown as { _socket: Socket })._socket);

  return {
    deliveries,
    get connections() {
      return open.size;
    },
    /** A path that can be used for one connection. */
    createTicket(): string {
      lastTicket += 1;
      tickets.add(`ticket-${lastTicket}`);
      return `/link/?ticket=ticket-${lastTicket}&app_id=A0000001`;
    },
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const ticket = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket) || isRevoked()) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      server.handleUpgrade(request, socket, head, onConnection);
    },
    /** Slack wants the app to connect again. It closes the old connection only for `refresh_requested`. */
    disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void {
      for (const connection of open) {
        connection.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }));
        if (reason === 'refresh_requested') connection.close();
      }
    },
    sendRaw(text: string): void {
      for (const connection of open) connection.send(text);
    },
    /** The connections stay open, but nothing is read or sent any more. */
    silence(): void {
      for (const connection of open) silent.add(connection);
      for (const socket of sockets()) socket.pause();
    },
    reset(): void {
      for (const socket of sockets()) socket.resetAndDestroy();
    },
    close(): void {
      deliveries.close();
      for (const connection of open) connection.terminate();
      server.close();
    },
  };
}
