import type { LeftProcess } from '../../contracts/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { hearOutputs } from '../left-process.ts';
import type { RemoteConnection } from './remote-connection.ts';
import type { RemoteLaunched } from './remote-launch.ts';
import { LEFT_SCRIPT } from './remote-scripts.ts';

/** What a command that has ended left running on the other side; undefined where nothing is left. */
export async function leftRemotely(launched: RemoteLaunched, connection: RemoteConnection, exitTasks: ExitTasks) {
  if (!launched.hasLeft()) return undefined;
  const onOutput = hearOutputs(launched.outputs);
  const { pid: group, mark } = await launched.begun;
  const ask = (what: string) => connection.run(LEFT_SCRIPT, [String(group), mark, what]);
  const members = readMembers((await ask('list')).output.toString());
  const [first] = members;
  if (first === undefined) return undefined;
  const endNow = () => connection.leave(LEFT_SCRIPT, [String(group), mark, 'kill']);
  const left: LeftProcess = {
    pid: first.pid,
    record: { pid: first.pid, startTime: first.startTime, mark },
    members,
    onOutput,
    async isRunning() {
      const isAlive = (await ask('check')).code === 0;
      // A leaving program would otherwise ask the other side for nothing.
      if (!isAlive) exitTasks.remove(endNow);
      return isAlive;
    },
    async kill() {
      const gone = (await ask('kill')).code === 0;
      if (gone) exitTasks.remove(endNow);
      return gone;
    },
    endWithProgram: () => exitTasks.add(endNow),
  };
  return left;
}

function readMembers(output: string): { pid: number; startTime: string; command: string }[] {
  return output
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const [, pid, startTime = '', command = ''] = /^(\d+) (\S*) ([^]*)$/.exec(line) ?? [];
      // Where there is no `ps`, each word is followed by a space, also the last one.
      return { pid: Number(pid), startTime, command: command.trimEnd() };
    });
}
