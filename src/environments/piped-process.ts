import { StringDecoder } from 'node:string_decoder';
import type { ProcessRecord, RunningProcess } from '../contracts/index.ts';
import type { Launched } from './launched.ts';
import { createOutputListeners } from './output-listeners.ts';

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
