import type { Writable } from 'node:stream';
import type { Sandbox } from '@daytonaio/sdk';
import { quoteWord } from '../../util/index.ts';
import { createCloudChild, LOST, writableTo } from './cloud-child.ts';
import { textOf } from './cloud-connection.ts';
import { createLineReader, STREAM_SCRIPT } from './daytona-scripts.ts';
import type { LaunchedChild } from '../launched.ts';

/** How often the service is told that a container is in use while a command runs that says nothing. */
const ACTIVITY_MS = 300_000;
/** What fits a line that is written in one piece. */
const INPUT_BYTES = 3000;

export type SessionStart = {
  sandbox: Sandbox;
  words: readonly string[];
  input: boolean;
  /** A session of its own: commands of one wait for each other. */
  name: string;
  /** What is to be done when this side lets go. */
  stops: Set<() => void>;
};

/** Begins a command in a session of its own, which is removed with it. */
export async function beginSession({ sandbox, words, input, name, stops }: SessionStart): Promise<LaunchedChild> {
  const { process: service } = sandbox;
  await service.createSession(name);
  const text = ['/bin/sh', '-c', STREAM_SCRIPT, 'sh', input ? '1' : '', ...words].map(quoteWord).join(' ');
  const request = { command: text, runAsync: true, suppressInputEcho: true };
  const { cmdId: command } = await service.executeSessionCommand(name, request);
  const send = (line: string) => service.sendSessionCommandInput(name, command, `${line}\n`);
  const near = createCloudChild(input ? writerTo(send) : null, () => finish(LOST));
  const timer = setInterval(() => void sandbox.refreshActivity().catch(() => undefined), ACTIVITY_MS).unref();
  const letGo = () => finish(LOST);
  stops.add(letGo);
  let code: number | undefined;
  let streams = 2;

  function finish(ending: number): void {
    if (!stops.delete(letGo)) return;
    clearInterval(timer);
    near.end(ending);
    // One that was let go still runs.
    if (ending !== LOST) void service.deleteSession(name).catch(() => undefined);
  }
  const whole = () => {
    if (code !== undefined && streams === 0) finish(code);
  };
  const read = createLineReader({
    output: (bytes) => void near.output(bytes),
    errors: (bytes) => void near.errors(bytes),
    code(found) {
      code = found;
      whole();
    },
    ended() {
      streams--;
      whole();
    },
  });
  const over = (fault: string) => {
    if (stops.has(letGo)) void near.errors(Buffer.from(`${fault}\n`));
    finish(LOST);
  };
  void service
    .getSessionCommandLogs(name, command, read, () => undefined)
    .then(() => over('the connection to the container was lost'))
    .catch((thrown: unknown) => over(textOf(thrown)));
  return near.child;
}

function writerTo(send: (line: string) => Promise<void>): Writable {
  const sendAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += INPUT_BYTES) {
      await send(Buffer.from(bytes.subarray(at, at + INPUT_BYTES)).toString('base64'));
    }
  };
  return writableTo({ write: sendAll, end: () => send('.') });
}
