import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createInterruptKey } from './interrupt-key.ts';

function createKey(running: boolean) {
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(what);
  const key = createInterruptKey({
    turns: { isRunning: () => running, interrupt: note('interrupt') },
    say: () => undefined,
    prompt: note('prompt'),
    leave: note('leave'),
    leaveNow: note('leave now'),
  });
  return { key, seen };
}

describe('Ctrl-C', () => {
  verifies('LOOP-7', 'interrupts a turn on the first press and leaves without a grace period on the second', () => {
    const { key, seen } = createKey(true);
    key.press('');
    expect(seen).toEqual(['interrupt']);
    key.press('');
    expect(seen[1]).toBe('leave now');
  });

  it('clears the line first, and exits when pressed twice on an empty line', () => {
    const { key, seen } = createKey(false);
    key.press('half a line');
    key.press('');
    expect(seen).toEqual(['prompt', 'prompt']);
    key.reset();
    key.press('');
    key.press('');
    expect(seen.at(-1)).toBe('leave');
  });
});
