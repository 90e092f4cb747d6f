import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { StoppedBySignal, watchSignals } from './signals.ts';

/** Creates a signal watch, records its calls and sends it signals. */
function watch() {
  const seen: string[] = [];
  const signals = watchSignals(() => seen.push('leave'));
  // Use only our own listener; the test runner may have others.
  const [listener] = process.listeners('SIGHUP').slice(-1);
  return { seen, signals, send: () => listener?.('SIGHUP') };
}

verifies('LOOP-7', 'passes the first signal to the turn and exits on the second', () => {
  const { seen, signals, send } = watch();
  signals.setHandler((name) => seen.push(name));
  send();
  expect(seen).toEqual(['SIGHUP']);
  send();
  expect(seen).toEqual(['SIGHUP', 'leave']);
  signals.stop();
});

verifies('SURF-13', 'stops the start on a signal before the turn, and starts no turn after it', async () => {
  const { seen, signals, send } = watch();
  send();
  await expect(signals.stopped).rejects.toThrow(StoppedBySignal);
  expect(() => signals.setHandler(() => seen.push('turn'))).toThrow(StoppedBySignal);
  send();
  expect(seen).toEqual(['leave']);
  signals.stop();
});

it('removes its listeners', () => {
  const before = process.listenerCount('SIGINT');
  watch().signals.stop();
  expect(process.listenerCount('SIGINT')).toBe(before);
});
