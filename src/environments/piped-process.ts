import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { OrphanedProcess, ProcessRecord, RunningProcess } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import { type LaunchedCommand, recordOf } from './launched-command.ts';
import { terminateTree, findOrphans, isTreeAlive, killTree, type ProcessTree } from './process-tree.ts';

/** How many characters are buffered for the first listener, which is added right after the start. */
const MAX_BUFFERED_CHARACTERS = 1_000_000;

/** A started command whose stdin and output are pipes. */
export function pipedProcess(launched: LaunchedCommand, record: ProcessRecord): RunningProcess {
  const { child } = launched;
  // `write` reports the error to its caller; without a pending write it does not matter.
  child.stdin?.on('error', () => undefined);
  return {
    pid: record.pid,
    record,
    onOutput: listenToOutputs(launched.outputs),
    write: (data) =>
      new Promise((resolve, reject) => {
        if (!child.stdin?.writable) return reject(new Error(`stdin of process ${record.pid} is closed`));
        child.stdin.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    closeInput: () => void child.stdin?.end(),
    kill: launched.terminate,
    ended: launched.ended.catch(() => ({ exitCode: undefined, signalName: undefined })),
  };
}

/** Passes text on to all listeners. */
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
      if (early === undefined || length > MAX_BUFFERED_CHARACTERS) return;
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

/** The processes that a finished command left running on this machine; undefined if there are none. */
export function findOrphanedProcess(
  { child, outputs }: LaunchedCommand<ChildProcess>,
  mark: string,
  exitTasks: ExitTasks,
) {
  if (child.pid === undefined) return undefined;
  const tree: ProcessTree = { pid: child.pid, tag: mark, onlyGroup: true };
  const members = findOrphans(tree);
  const [first] = members;
  if (first === undefined) return undefined;
  const endNow = () => killTree(tree);
  const left: OrphanedProcess = {
    pid: first.pid,
    record: recordOf(first.pid, mark),
    members,
    onOutput: listenToOutputs(outputs),
    async isRunning() {
      const isAlive = isTreeAlive(tree);
      if (!isAlive) exitTasks.remove(endNow);
      return isAlive;
    },
    async kill() {
      const gone = await terminateTree(tree);
      if (gone) exitTasks.remove(endNow);
      return gone;
    },
    killOnExit: () => exitTasks.add(endNow),
  };
  return left;
}

/** Decodes output streams; text that arrives before the first listener is buffered for it. */
export function listenToOutputs(outputs: readonly Readable[]): OrphanedProcess['onOutput'] {
  const output = createOutputListeners();
  for (const stream of outputs) {
    const decoder = new StringDecoder('utf8');
    stream.on('data', (bytes: Buffer) => output.push(decoder.write(bytes)));
    stream.once('end', () => output.push(decoder.end()));
  }
  return output.listen;
}
