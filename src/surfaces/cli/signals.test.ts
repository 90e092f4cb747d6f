import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { StoppedBySignal, watchSignals } from './signals.ts';

/** A watch, what it was told, and a way to tell it. */
function watch() {
  const seen: string[] = [];
  const signals = watchSignals(() => seen.push('leave'));
  // Only our own listener: a test runner may have others.
  const [listener] = process.listeners('SIGHUP').slice(-1);
  return { seen, signals, send: () => listener?.('SIGHUP') };
}

verifies('LOOP-7', 'the first signal is for the turn, the second one leaves', () => {
  const { seen, signals, send } = watch();
  signals.takeOver((name) => seen.push(name));
  send();
  expect(seen).toEqual(['SIGHUP']);
  send();
  expect(seen).toEqual(['SIGHUP', 'leave']);
  signals.stop();
});

verifies('SURF-13', 'a signal before the turn ends the start, and no turn begins after it', async () => {
  const { seen, signals, send } = watch();
  send();
  await expect(signals.stopped).rejects.toThrow(StoppedBySignal);
  expect(() => signals.takeOver(() => seen.push('turn'))).toThrow(StoppedBySignal);
  send();
  expect(seen).toEqual(['leave']);
  signals.stop();
});

it('leaves no listeners behind', () => {
  const before = process.listenerCount('SIGINT');
  watch().signals.stop();
  expect(process.listenerCount('SIGINT')).toBe(before);
});
