import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '../base/index.ts';
import { createLineReader } from './message-limit.ts';
import { ServerFailure } from './server-failure.ts';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts';

/** A server that is a program of ours to start and to end, with what is needed to explain its end. */
export type StdioTransport = Transport & {
  /** By these the protocol package tells a program from an address: one that is silent is old, and not out of order. */
  readonly stderr: null;
  readonly pid: null;
  /** Why it is gone, once it is. */
  reason(): ServerFailure | undefined;
};

/** Talks to a program over its standard input and output, a message per line. */
export function createStdioTransport(command: ServerCommand): StdioTransport {
  let server: ServerProcess | undefined;
  let failure: ServerFailure | undefined;
  let over = false;
  let ending: Promise<void> | undefined;

  function finish(reason?: ServerFailure): void {
    failure ??= reason;
    if (over) return;
    over = true;
    transport.onclose?.();
  }

  /** Whatever it started and left behind is ended too. */
  function giveUp(reason: ServerFailure): void {
    void transport.close();
    finish(reason);
  }

  const read = createLineReader(command.serverName, (line) => deliver(line, transport));
  const transport: StdioTransport = {
    stderr: null,
    pid: null,
    reason: () => failure,
    async start() {
      server = await startServerProcess(command, {
        onExit: giveUp,
        onOutput(chunk) {
          if (over) return;
          try {
            read(chunk);
          } catch (thrown) {
            giveUp(thrown as ServerFailure);
          }
        },
      });
    },
    async send(message) {
      if (server === undefined || over) throw failure ?? notConnected(command.serverName);
      await server.write(`${JSON.stringify(message)}\n`);
    },
    close() {
      return (ending ??= (server?.end() ?? Promise.resolve()).finally(() => finish()));
    },
  };
  return transport;
}

/** A line that is no message is no end: programs print things, also where they should not. */
function deliver(line: string, transport: Transport): void {
  const message = parseJson(line);
  if (isJsonObject(message) && message['jsonrpc'] === '2.0')
    transport.onmessage?.(message as unknown as JSONRPCMessage);
}

function notConnected(serverName: string): ServerFailure {
  return new ServerFailure('unreachable', `${serverName} is not connected.`);
}
