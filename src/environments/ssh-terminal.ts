import type { ProcessRecord, RunningProcess, StartOptions } from '../contracts/index.ts';
import { createControlStream } from './control-stream.ts';
import { createOutputListeners } from './output-listeners.ts';
import { startInPty } from './pty-process.ts';
import type { SshConnection } from './ssh-connection.ts';
import { KILL_SCRIPT } from './ssh-scripts.ts';

export type SshTerminalOptions = {
  args: string[];
  mark: string;
  connection: SshConnection;
  size: NonNullable<StartOptions['pty']>;
};

/** A terminal on the other side: `ssh` runs in one of this side, which gives it its size and tells it of changes. */
export async function startSshTerminal(options: SshTerminalOptions): Promise<RunningProcess> {
  const { mark, connection } = options;
  const { running } = await startInPty({
    ...{ file: 'ssh', args: options.args, directory: '/', env: connection.env, mark, size: options.size },
  });
  const output = createOutputListeners();
  const record = await untilBegun(running, mark, output.push);
  return {
    ...running,
    pid: record.pid,
    record,
    onOutput: output.listen,
    kill: async () => (await connection.run(KILL_SCRIPT, [String(record.pid), mark])).code === 0,
  };
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
      const events = { ended() {}, noDirectory() {} };
      const begun = (pid: number, startTime: string) => resolve({ pid, startTime, mark });
      createControlStream(mark, { ...events, begun }).push(Buffer.from(early.slice(at, end + 1), 'latin1'));
      push(early.slice(end + 1));
    });
    void running.ended.then(() => reject(new Error(`the terminal could not be opened: ${early.trim()}`)));
  });
}
