import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { LeftProcess, ProcessRecord, RunningProcess } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import { type Launched, recordOf } from './launched.ts';
import { endTree, findLeft, isTreeAlive, killTree, type ProcessTree } from './process-tree.ts';

/** What is kept for the first listener, which comes right after the start; more than a pipe holds is not needed. */
const MAX_EARLY = 1_000_000;

/** A started command with pipes for what it reads and prints. */
export function pipedProcess(launched: Launched, record: ProcessRecord): RunningProcess {
  const { child } = launched;
  const output = createOutputListeners();
  for (const stream of launched.outputs) {
    const decoder = new StringDecoder('utf8');
    stream.on('data', (bytes: Buffer) => output.push(decoder.write(bytes)));
    stream.once('end', () => output.push(decoder.end()));
  }
  // Told to whoever writes; what nobody waits for is no fault.
  child.stdin?.on('error', () => undefined);
  return {
    pid: record.pid,
    record,
    onOutput: output.listen,
    write: (data) =>
      new Promise((resolve, reject) => {
        if (!child.stdin?.writable) return reject(new Error(`process ${record.pid} does not read any more`));
        child.stdin.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    closeInput: () => void child.stdin?.end(),
    kill: launched.end,
    ended: launched.ended.catch(() => ({ exitCode: undefined, signalName: undefined })),
  };
}

/** Hands text on to whoever listens. */
interface OutputListeners {
  push(text: string): void;
  listen(listener: (text: string) => void): () => void;
}

export function createOutputListeners(): OutputListeners {
  const listeners = new Set<(text: string) => void>();
  let early: string[] | undefined = [];
  let length = 0;
  return {
    push(text) {
      if (text === '') return;
      for (const listener of listeners) listener(text);
      if (early === undefined || length > MAX_EARLY) return;
      early.push(text);
      length += text.length;
    },
    listen(listener) {
      const before = early?.join('') ?? '';
      early = undefined;
      listeners.add(listener);
      if (before !== '') listener(before);
      return () => void listeners.delete(listener);
    },
  };
}

/** What a command that has ended left running on this machine; undefined where nothing is left. */
export function leftOnThisMachine({ child, outputs }: Launched<ChildProcess>, mark: string, exitTasks: ExitTasks) {
  if (child.pid === undefined) return undefined;
  const tree: ProcessTree = { pid: child.pid, mark, onlyGroup: true };
  const members = findLeft(tree);
  const [first] = members;
  if (first === undefined) return undefined;
  const endNow = () => killTree(tree);
  const left: LeftProcess = {
    pid: first.pid,
    record: recordOf(first.pid, mark),
    members,
    onOutput: hearOutputs(outputs),
    async isRunning() {
      const isAlive = isTreeAlive(tree);
      if (!isAlive) exitTasks.remove(endNow);
      return isAlive;
    },
    async kill() {
      const gone = await endTree(tree);
      if (gone) exitTasks.remove(endNow);
      return gone;
    },
    endWithProgram: () => exitTasks.add(endNow),
  };
  return left;
}

/** Nobody listened any more, since the command has ended; what comes until somebody does is kept. */
export function hearOutputs(outputs: readonly Readable[]): LeftProcess['onOutput'] {
  const output = createOutputListeners();
  for (const stream of outputs) {
    const decoder = new StringDecoder('utf8');
    stream.on('data', (bytes: Buffer) => output.push(decoder.write(bytes)));
  }
  return output.listen;
}
