import type { ClientRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ModelError } from '../../base/index.ts';
import { createStallTimer } from './stall-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(stallTimeoutMs = 1000, contentTimeoutMs?: number) {
  const destroy = vi.fn<() => void>();
  const controller = new AbortController();
  const watch = createStallTimer(
    { destroy } as unknown as ClientRequest,
    { stallTimeoutMs, contentTimeoutMs },
    controller.signal,
  );
  return { watch, destroy, controller };
}

describe('watching a request', () => {
  verifies('CALL-2', 'does not treat slow headers and slow bytes as a stall', () => {
    const { watch, destroy } = start();
    for (let count = 0; count < 50; count += 1) {
      vi.advanceTimersByTime(999);
      watch.touch();
    }
    expect(destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(destroy).toHaveBeenCalledOnce();
    const error = watch.explain(new Error('socket hang up'));
    expect(error).toBeInstanceOf(ModelError);
    expect((error as ModelError).failure).toMatchObject({ kind: 'stream_stall', retryable: true });
  });

  verifies('CALL-2', 'ends a request that receives data but no content', () => {
    const { watch, destroy } = start(1000, 3000);
    const receive = (times: number) => {
      for (let count = 0; count < times; count += 1) {
        vi.advanceTimersByTime(999);
        watch.touch();
      }
    };
    receive(3);
    watch.touchContent();
    receive(3);
    expect(destroy).not.toHaveBeenCalled();
    receive(1);
    expect(destroy).toHaveBeenCalledOnce();
    expect((watch.explain(undefined) as ModelError).message).toBe(
      'The provider sent data but no part of an answer for 3 s; the request timed out.',
    );
  });

  verifies('CALL-2', 'caps a timeout that is longer than the longest timer', () => {
    for (const limit of [2 ** 31, 1e12, Number.POSITIVE_INFINITY]) {
      const { watch, destroy } = start(limit);
      vi.advanceTimersByTime(60_000);
      expect(destroy).not.toHaveBeenCalled();
      watch.stop();
    }
  });

  verifies('CALL-2', 'does not extend a deadline when bytes arrive, only when a new one is set', () => {
    const { watch, destroy } = start();
    watch.endWithin(100);
    vi.advanceTimersByTime(90);
    watch.endWithin(100);
    vi.advanceTimersByTime(90);
    watch.touch();
    expect(destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10);
    expect(destroy).toHaveBeenCalledOnce();
  });

  it('never waits longer for the end than the stall timeout', () => {
    const { watch, destroy } = start();
    watch.endWithin(60_000);
    vi.advanceTimersByTime(1000);
    expect(destroy).toHaveBeenCalledOnce();
  });

  it('returns the reason of an abort, even if a stall follows', () => {
    const { watch, destroy, controller } = start();
    const reason = new Error('stop');
    controller.abort(reason);
    expect(destroy).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(5000);
    expect(watch.explain(new Error('socket hang up'))).toBe(reason);
  });

  it('does nothing after it is stopped', () => {
    const { watch, destroy, controller } = start();
    watch.stop();
    vi.advanceTimersByTime(5000);
    controller.abort();
    expect(destroy).not.toHaveBeenCalled();
    const error = new Error('other');
    expect(watch.explain(error)).toBe(error);
    expect(watch.ended()).toBe(false);
  });
});
