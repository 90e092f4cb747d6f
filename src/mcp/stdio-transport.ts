import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '../base/index.ts';
import { createLineReader } from './message-limit.ts';
import { ServerFailure } from './server-failure.ts';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts';

/** A transport to a server process that Hermes starts and ends. */
export type StdioTransport = Transport & {
  /**
   * The protocol package recognizes a stdio transport by these properties. During version negotiation it then treats
   * a silent server as old, not as broken.
   */
  readonly stderr: null;
  readonly pid: null;
  /** Why the server exited, once it has. */
  reason(): ServerFailure | undefined;
};

/** Exchanges messages over stdin and stdout, one per line. */
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

  /** Also kills processes that the server left running. */
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

/** Ignores lines that are not messages: some servers print other text to stdout. */
function deliver(line: string, transport: Transport): void {
  const message = parseJson(line);
  if (isJsonObject(message) && message['jsonrpc'] === '2.0')
    transport.onmessage?.(message as unknown as JSONRPCMessage);
}

function notConnected(serverName: string): ServerFailure {
  return new ServerFailure('unreachable', `${serverName} is not connected.`, { isOwnText: true });
}
