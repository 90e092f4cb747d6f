/** What the other side tells about a command beside its output. */
export type ControlEvents = {
  begun(pid: number, startTime: string): void;
  /** With the directories the shell left behind, where it did. */
  ended(exitCode: number, directories: readonly string[] | undefined): void;
  /** Something that it started was still there when it ended. */
  left(): void;
  /** The directory is not there; nothing was begun. */
  noDirectory(): void;
};

export interface ControlStream {
  push(bytes: Buffer): void;
  /** Everything that was no record of ours: what `ssh` said. */
  rest(): string;
}

/** Records are framed by a control character, the mark of the command, and NUL; ssh writes to the same stream. */
export function createControlStream(mark: string, events: ControlEvents): ControlStream {
  let pending = '';
  let rest = '';
  let ending: { exitCode: number; from: number } | undefined;
  const start = `\u001E${mark} `;

  function take(): boolean {
    const at = pending.indexOf(start);
    const end = at < 0 ? -1 : pending.indexOf('\0', at);
    if (end < 0) return false;
    const [word = '', first = '', second = ''] = pending.slice(at + start.length, end).split(' ');
    const before = pending.slice(0, at);
    pending = pending.slice(end + 1);
    if (word === 'over' && ending) events.ended(ending.exitCode, directoriesIn(before));
    else rest += before;
    if (word === 'begun') events.begun(Number(first), second);
    if (word === 'ended') ending = { exitCode: Number(first), from: end };
    if (word === 'left') events.left();
    if (word === 'nodir') events.noDirectory();
    return true;
  }

  return {
    push(bytes) {
      // One character per byte: records are cut at any byte, and names may be anything.
      pending += bytes.toString('latin1');
      while (take());
    },
    rest: () => rest + pending,
  };
}

function directoriesIn(text: string): string[] | undefined {
  const names = text.split('\0').slice(0, -1);
  return names.length < 2 ? undefined : names.map((name) => Buffer.from(name, 'latin1').toString());
}
