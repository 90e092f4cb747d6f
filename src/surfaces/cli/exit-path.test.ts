import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  createExitPath,
  type ExitPath,
  faultCause,
  lostOutputCause,
  signalCause,
  STOP_TIMEOUT_MS,
  StoppedBySignal,
} from './exit-path.ts';

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

describe('the exit path', () => {
  let exits: ExitPath;
  let seen: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    seen = [];
    exits = createExitPath((exitCode) => seen.push(`leave ${exitCode}`));
    exits.forced.addEventListener('abort', () => seen.push('forced'));
  });
  afterEach(() => {
    exits.stop();
    vi.useRealTimers();
  });

  /** Calls only our own listener; the test runner may have others. */
  function send(name: Signal): void {
    const [listener] = process.listeners(name).slice(-1);
    listener?.(name);
  }
  const handle = (timeoutMs?: number) => exits.setHandler(({ reason }) => seen.push(reason), timeoutMs);

  verifies(['LOOP-7', 'BOUND-4'], 'stops the work on the first signal and forces it on the second', () => {
    handle();
    send('SIGINT');
    expect(seen).toEqual(['interrupted by SIGINT']);
    send('SIGINT');
    send('SIGINT');
    expect(seen).toEqual(['interrupted by SIGINT', 'forced']);
  });

  verifies('SURF-13', 'stops the start on a signal before the turn, and starts no turn after it', async () => {
    send('SIGTERM');
    await expect(exits.stopped).rejects.toThrow(StoppedBySignal);
    expect(() => handle()).toThrow(StoppedBySignal);
    expect(seen).toEqual([]);
  });

  verifies('BOUND-4', 'does not force the work if the same hang-up or termination is reported again', () => {
    handle();
    for (const name of ['SIGTERM', 'SIGTERM', 'SIGHUP', 'SIGHUP'] as const) send(name);
    exits.request(lostOutputCause(141));
    expect(seen).toEqual(['interrupted by SIGTERM']);
    expect(exits.exitCode(130)).toBe(130);
    send('SIGINT');
    expect(seen.at(-1)).toBe('forced');
  });

  verifies('BOUND-4', 'takes the same path for lost output and uncaught errors, with their exit codes', () => {
    handle();
    exits.request(lostOutputCause(141));
    send('SIGHUP');
    expect(seen).toEqual(['the output was closed']);
    expect(exits.exitCode(0)).toBe(141);
    expect(exits.cause()?.exitCode).toBe(141);
    expect(faultCause(1)).toMatchObject({ exitCode: 1, isFinal: true });
  });

  verifies('BOUND-4', 'forces work that does not end in time, and exits if that does not help', () => {
    handle(STOP_TIMEOUT_MS);
    send('SIGHUP');
    vi.advanceTimersByTime(STOP_TIMEOUT_MS);
    expect(seen).toEqual(['interrupted by SIGHUP', 'forced']);
    vi.advanceTimersByTime(60_000);
    expect(seen.at(-1)).toBe('leave 130');
  });

  it('waits for work without a time limit', () => {
    handle();
    send('SIGHUP');
    vi.advanceTimersByTime(3_600_000);
    expect(seen).toEqual(['interrupted by SIGHUP']);
  });

  verifies(['BOUND-4', 'SURF-13'], 'ignores signals after the result, except that closing is limited in time', () => {
    handle(STOP_TIMEOUT_MS);
    exits.conclude(3);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) send(name);
    expect(seen).toEqual([]);
    expect(exits.exitCode(3)).toBe(3);
    vi.advanceTimersByTime(60_000);
    expect(seen).toEqual(['leave 3']);
  });

  verifies('LOOP-7', 'forces the work on a second Ctrl-C in a chat, which is not a signal there', () => {
    handle();
    exits.force(signalCause('Ctrl-C'));
    expect(seen).toEqual(['interrupted by Ctrl-C', 'forced']);
    expect(exits.cause()?.exitCode).toBe(130);
  });

  it('removes its listeners', () => {
    const before = process.listenerCount('SIGINT');
    createExitPath(() => undefined).stop();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
