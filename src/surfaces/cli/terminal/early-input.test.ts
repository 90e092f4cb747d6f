import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type EarlyTerminal, openEarlyInput } from './early-input.ts';

const FRAME = { lines: ['──', '❯ ', '──'], cursor: { row: 1, column: 2 } };

/** A terminal that records what is written to it and whether it is in raw mode. */
function openTestTerminal(columns = 40) {
  const [written, exits]: [string[], number[]] = [[], []];
  let isRaw = false;
  const keys = new Readable({ read: () => undefined });
  const stdin = Object.assign(keys, {
    setRawMode(mode: boolean) {
      isRaw = mode;
      return stdin as unknown as NodeJS.ReadStream;
    },
  });
  // The methods are on a prototype, as those of a stream are.
  const output = () =>
    Object.create({ columns, write: (text: string) => written.push(text) > 0 }) as { columns: number };
  const [stdout, stderr] = [output(), output()] as unknown as [EarlyTerminal['stdout'], EarlyTerminal['stderr']];
  const terminal = { stdin, stdout, stderr, exit: (code: number) => void exits.push(code) };
  const input = openEarlyInput(FRAME, terminal as unknown as EarlyTerminal);
  const type = async (text: string) => {
    stdin.push(Buffer.from(text));
    await new Promise(setImmediate);
  };
  return { input, type, stdin, stdout, stderr, exits, isRaw: () => isRaw, written: () => written.splice(0).join('') };
}

it('draws the frame and puts the cursor behind the prompt', () => {
  const { input, isRaw, written } = openTestTerminal();
  expect(written()).toBe('\u001b[?2004h──\r\n❯ \r\n──\r\u001b[1A\r\u001b[2C');
  expect(isRaw()).toBe(true);
  input.release();
  expect(written()).toBe('\r\u001b[1A\u001b[J\u001b[?2004l');
  expect(isRaw()).toBe(false);
});

it('hands over what is drawn, and all keys unread', async () => {
  const { input, type, stdin, isRaw, written } = openTestTerminal();
  written();
  await type('abd');
  await type('\u007fc');
  expect(written()).toBe('abd\b \bc');
  // A key that only the screen can handle ends the echo, not the reading.
  await type('\u001b[Dx');
  expect(written()).toBe('');
  expect(input.handOver()).toEqual({ lines: ['──', '❯ abc', '──'], cursor: { row: 1, column: 5 } });
  expect(String(stdin.read())).toBe('abd\u007fc\u001b[Dx');
  input.release();
  expect([isRaw(), written()]).toEqual([true, '']);
});

it('echoes no more than fits into the line', async () => {
  const { input, type } = openTestTerminal(10);
  await type('0123456789');
  expect(input.handOver().lines[1]).toBe('❯ 012345');
});

it('is erased before anything else is printed', async () => {
  for (const name of ['stdout', 'stderr'] as const) {
    const { type, stdin, isRaw, written, ...terminal } = openTestTerminal();
    await type('ab');
    written();
    terminal[name].write('an error\n');
    expect(written()).toBe('\r\u001b[1A\u001b[J\u001b[?2004lan error\n');
    expect([isRaw(), String(stdin.read())]).toEqual([false, 'ab']);
  }
});

it('leaves with Ctrl-C or Ctrl-D only if nothing was typed or sent', async () => {
  for (const [keys, code] of [
    ['\u0003', 130],
    ['\u0004', 0],
    ['a\u0003\u0004', 0],
    ['a\u0004', undefined],
    ['a\r\u0003', undefined],
  ] as const) {
    const { input, type, exits, isRaw } = openTestTerminal();
    await type(keys);
    expect(exits).toEqual(code === undefined ? [] : [code]);
    expect(isRaw()).toBe(code === undefined);
    input.release();
  }
});
