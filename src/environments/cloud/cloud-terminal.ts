import { StringDecoder } from 'node:string_decoder';
import type { ProcessEnding } from '../../contracts/index.ts';
import { createOutputListeners } from '../output-listeners.ts';
import type { RemoteTerminal } from '../remote/remote-connection.ts';

/** A terminal that an SDK keeps open somewhere else. */
export type CloudTerminal = {
  push(bytes: Uint8Array): void;
  terminal: RemoteTerminal;
};

export type CloudTerminalOptions = {
  write(bytes: Uint8Array): Promise<void>;
  /** The code of the command; never rejects. */
  ended: Promise<number | undefined>;
  stop(): void;
};

export function createCloudTerminal({ write, ended, stop }: CloudTerminalOptions): CloudTerminal {
  const output = createOutputListeners();
  const decoder = new StringDecoder('utf8');
  let over = false;
  const send = async (data: string | Uint8Array) => {
    if (over) throw new Error('the terminal does not read any more');
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
      endsAlone: false,
    },
  };
}
