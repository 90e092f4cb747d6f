import type { ProcessRecord, RunningProcess, StartOptions } from '../../contracts/index.ts';
import { createControlStream } from './control-stream.ts';
import { createOutputListeners } from '../output-listeners.ts';
import { newMark } from '../shell-script.ts';
import type { BeginOptions } from './remote-begin.ts';
import type { RemoteConnection, RemoteTerminal } from './remote-connection.ts';
import { KILL_SCRIPT, RESIZE_SCRIPT, TERMINAL_SCRIPT } from './remote-scripts.ts';
import type { RemoteShell } from './remote-shells.ts';

export type RemoteTerminalOptions = {
  call: RemoteShell;
  /** The command. */
  text: string;
  size: NonNullable<StartOptions['pty']>;
};

/** A command in a terminal on the other side. */
export async function startRemoteTerminal(
  { connection, shell }: Pick<BeginOptions, 'connection' | 'shell'>,
  { call, text, size }: RemoteTerminalOptions,
): Promise<{ process: RunningProcess; endNow(): void }> {
  await connection.open();
  const mark = newMark();
  const ending = [...call.rest.slice(0, 2), String(size.rows), String(size.columns)];
  const parameters = [mark, call.directory, shell, call.script, text, ...ending];
  const terminal = await connection.beginTerminal({ script: TERMINAL_SCRIPT, parameters, shell, mark, size });
  const { running, endNow } = terminal;
  const output = createOutputListeners();
  const record = await untilBegun(running, mark, output.push);
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(record.pid), mark])).code === 0;
  const leave = () => {
    endNow();
    if (!terminal.endsAlone) connection.leave(KILL_SCRIPT, [String(record.pid), mark]);
  };
  const own = { pid: record.pid, record, kill, onOutput: output.listen };
  const { resize, missesSizes } = terminal;
  const sized = resize && !missesSizes ? { resize } : sizedByScript(connection, terminal, record);
  return { process: { ...running, ...own, ...sized }, endNow: leave };
}

/** A terminal that is told of its size by a script over there; what is typed after that comes after it. */
function sizedByScript(connection: RemoteConnection, terminal: RemoteTerminal, { pid }: ProcessRecord) {
  let sizing: Promise<unknown> = Promise.resolve();
  return {
    resize(columns: number, rows: number) {
      // What leads there has to know it too, or would set the old size again.
      terminal.resize?.(columns, rows);
      const parameters = [pid, columns, rows].map(String);
      sizing = sizing.then(() => connection.run(RESIZE_SCRIPT, parameters)).catch(() => undefined);
    },
    async write(data: string | Uint8Array) {
      await sizing;
      await terminal.running.write(data);
    },
  };
}

/** The first words in the terminal are ours; everything after them belongs to the command. */
function untilBegun(
  running: RemoteTerminal['running'],
  mark: string,
  push: (text: string) => void,
): Promise<ProcessRecord> {
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
