import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a server that delays everything and counts round trips. */
export type CountingProxy = {
  port: number;
  /**
   * How often the client sent something after it had received something: the number of times that it waited for an
   * answer.
   */
  roundTrips(): number;
  /** Breaks the connection at the next bytes of the client, which the server still receives or never receives. */
  breakAtNextRequest(isDelivered: boolean): Promise<void>;
  close(): Promise<void>;
};

/** How long a delivered request is given to have an effect before its connection is closed. */
const EFFECT_MS = 300;

export async function startCountingProxy(targetPort: number, delayMs: number): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let trips = 0;
  let breaking: { isDelivered: boolean; done(): void } | undefined;

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    let hasAnswered = true;
    let isBroken = false;
    const end = () => [client, target].forEach((socket) => socket.destroy());
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => {
      if (hasAnswered) trips += 1;
      hasAnswered = false;
      if (breaking !== undefined) {
        isBroken = true;
        if (breaking.isDelivered) target.write(bytes);
        setTimeout(end, breaking.isDelivered ? EFFECT_MS : 0);
        breaking.done();
        breaking = undefined;
      } else if (!isBroken) setTimeout(() => target.write(bytes), delayMs);
    });
    target.on('data', (bytes) => {
      if (isBroken) return;
      setTimeout(() => {
        hasAnswered = true;
        client.write(bytes);
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => trips,
    breakAtNextRequest: (isDelivered) => new Promise((done) => (breaking = { isDelivered, done })),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
