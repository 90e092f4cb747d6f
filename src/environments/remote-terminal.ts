import type { ProcessRecord, RunningProcess, StartOptions } from '../contracts/index.ts';
import { createControlStream } from './control-stream.ts';
import { createOutputListeners } from './output-listeners.ts';
import { startInPty } from './pty-process.ts';
import { newMark } from './shell-script.ts';
import type { BeginOptions } from './remote-begin.ts';
import { leaveWith } from './remote-launch.ts';
import { KILL_SCRIPT, TERMINAL_SCRIPT } from './remote-scripts.ts';
import type { RemoteShell } from './remote-shells.ts';

export type RemoteTerminalOptions = {
  call: RemoteShell;
  /** The command. */
  text: string;
  size: NonNullable<StartOptions['pty']>;
};

/** A terminal on the other side: the program that leads there runs in one of this side, which gives it its size and tells it of changes. */
export async function startRemoteTerminal(
  { connection, shell }: Pick<BeginOptions, 'connection' | 'shell'>,
  { call, text, size }: RemoteTerminalOptions,
): Promise<{ process: RunningProcess; endNow(): void }> {
  await connection.open();
  const mark = newMark();
  const parameters = [mark, call.directory, shell, call.script, text, ...call.rest.slice(0, 2)];
  const args = connection.args(TERMINAL_SCRIPT, parameters, { shell, terminal: true });
  const { running, endNow } = await startInPty({
    file: connection.program,
    args,
    directory: '/',
    env: connection.env,
    mark,
    size,
  });
  const output = createOutputListeners();
  const record = await untilBegun(running, mark, output.push);
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(record.pid), mark])).code === 0;
  const leave = () => {
    endNow();
    if (!connection.endsWithTerminal) leaveWith(connection, KILL_SCRIPT, [String(record.pid), mark]);
  };
  return { process: { ...running, pid: record.pid, record, onOutput: output.listen, kill }, endNow: leave };
}

/** The first words in the terminal are ours; everything after them belongs to the command. */
function untilBegun(running: RunningProcess, mark: string, push: (text: string) => void): Promise<ProcessRecord> {
  return new Promise((resolve, reject) => {
    let early = '';
    let isBegun = false;
    running.onOutput((text) => {
      if (isBegun) return push(text);
      early += text;
      const at = early.indexOf('\u001E');
      const end = at < 0 ? -1 : early.indexOf('\0', at);
      if (end < 0) return;
      isBegun = true;
      const events = { ended() {}, left() {}, noDirectory() {} };
      const begun = (pid: number, startTime: string) => resolve({ pid, startTime, mark });
      createControlStream(mark, { ...events, begun }).push(Buffer.from(early.slice(at, end + 1), 'latin1'));
      push(early.slice(end + 1));
    });
    void running.ended.then(() => reject(new Error(`the terminal could not be opened: ${early.trim()}`)));
  });
}
