import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { LeftProcess } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import { type Launched, recordOf } from './launched.ts';
import { createOutputListeners } from './output-listeners.ts';
import { endTree, findLeft, isTreeAlive, killTree, type ProcessTree } from './process-tree.ts';

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
