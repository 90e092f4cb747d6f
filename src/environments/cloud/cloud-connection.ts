import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { HermesError } from '../../base/index.ts';
import type { ProcessEnding } from '../../contracts/index.ts';
import { createOutputListeners } from '../piped-process.ts';
import { CONNECTION_LOST } from '../remote/remote-child.ts';
import type { RemoteConnection, RemoteStart, RemoteTerminal } from '../remote/remote-connection.ts';
import { NotConnected } from '../remote/remote-launch.ts';
import type { CloudContainer, CloudService } from './cloud-service.ts';

export type CloudConnectionOptions = {
  service: CloudService;
  /** Environment variables of commands. */
  variables: Readonly<Record<string, string>>;
  explain(errors: string): HermesError;
  /** Called with a command that must still run in the container when Hermes exits. */
  onLeave(words: readonly string[]): void;
  onClose(): Promise<void>;
};

/** How long to wait for output after the exit was reported. Usually the streams end earlier. */
const DRAIN_MS = 2000;

/** A connection to a cloud container, which is created or started on first use. */
export function createCloudConnection(options: CloudConnectionOptions): RemoteConnection {
  const { service, explain } = options;
  const prefix = Object.entries(options.variables).map(([name, value]) => `${name}=${value}`);
  const words = ({ script, parameters, shell }: RemoteStart) => [
    ...(prefix.length === 0 ? [] : ['env', ...prefix]),
    shell,
    '-c',
    script,
    shell,
    ...parameters,
  ];
  let opening: Promise<CloudContainer> | undefined;
  let wasUp = false;

  async function container(): Promise<CloudContainer> {
    opening ??= bringUp(service, wasUp);
    const found = await opening.catch((thrown: unknown) => {
      // The next call retries.
      opening = undefined;
      throw explain(textOf(thrown));
    });
    wasUp = true;
    return found;
  }
  const begun = async <Begun>(begin: (found: CloudContainer) => Promise<Begun>): Promise<Begun> => {
    const found = await container();
    return begin(found).catch((thrown: unknown) => {
      throw new NotConnected(textOf(thrown));
    });
  };

  const connection: RemoteConnection = {
    // The service closes the streams when the first process exits.
    waitsForOrphans: true,
    drainMs: DRAIN_MS,
    async open() {
      await container();
    },
    begin: (start) => begun((found) => found.begin(words(start), start.input)),
    startTerminal: (start) => begun((found) => found.beginTerminal(words(start), start.size)),
    async run(script, parameters, input) {
      const start = words({ script, parameters, shell: '/bin/sh' });
      for (let attempt = 1; ; attempt++) {
        const found = await container();
        const result = await found.run(start, input).catch((thrown: unknown) => textOf(thrown));
        if (typeof result !== 'string') return result;
        if (attempt === 2) throw explain(result);
        // The container was stopped. All these scripts can safely be run twice.
        opening = undefined;
      }
    },
    runAtExit: (script, parameters) => options.onLeave(words({ script, parameters, shell: '/bin/sh' })),
    hasFailed: (code) => code === CONNECTION_LOST,
    forget: () => (opening = undefined),
    explain,
    close: options.onClose,
  };
  return connection;
}

async function bringUp(service: CloudService, again: boolean): Promise<CloudContainer> {
  const found = await service.find();
  if (found !== undefined) return found;
  // Replacing a container that held data with a new one would hide the loss.
  if (again) throw new Error('the container is gone');
  return service.create();
}

/** The error of an SDK in one line. */
export function textOf(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}

/** A writable stream that passes chunks to an asynchronous function in order. */
export function writableTo(target: { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> }): Writable {
  return new Writable({
    write: (chunk: Uint8Array, _, done) => settle(target.write(chunk), done),
    final: (done) => settle(target.end(), done),
  });
}

function settle(promise: Promise<void>, done: (error?: Error) => void): void {
  const [succeed, fail] = [() => done(), (error: unknown) => done(error as Error)];
  void promise.then(succeed, fail);
}

/** The local side of a remote terminal that an SDK keeps open. */
type CloudTerminal = {
  push(bytes: Uint8Array): void;
  terminal: RemoteTerminal;
};

type CloudTerminalOptions = {
  write(bytes: Uint8Array): Promise<void>;
  /** The exit code of the command; never rejects. */
  ended: Promise<number | undefined>;
  stop(): void;
};

export function createCloudTerminal({ write, ended, stop }: CloudTerminalOptions): CloudTerminal {
  const output = createOutputListeners();
  const decoder = new StringDecoder('utf8');
  let over = false;
  const send = async (data: string | Uint8Array) => {
    if (over) throw new Error('stdin of the terminal is closed');
    await write(Buffer.from(data));
  };
  return {
    push: (bytes) => output.push(decoder.write(Buffer.from(bytes))),
    terminal: {
      running: {
        onOutput: output.listen,
        write: send,
        closeInput: () => void send('\u0004').catch(() => undefined),
        ended: ended.then((exitCode): ProcessEnding => {
          over = true;
          output.push(decoder.end());
          return { exitCode, signalName: undefined };
        }),
      },
      endNow: stop,
      endsWithTerminal: false,
    },
  };
}
