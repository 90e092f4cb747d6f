import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ToolProgressMode } from '../../../config/gateway/index.ts';
import { createTelegramChannel } from '../../../platforms/telegram/telegram-channel.ts';
import { createFakeClock } from '../../../testing/index.ts';
import { createRateScheduler } from '../accounts/rate-scheduler.ts';
import { createTestChannel } from '../test-channel.test-helper.ts';
import { createToolProgress, showStatus } from './tool-progress.ts';

describe('the progress of a turn', () => {
  verifies('GW-17', 'says how long the turn has been working, after a minute and then every two', async () => {
    const clock = createFakeClock();
    const ended = new AbortController();
    const seen: string[] = [];
    const setStatus = (text: string) => {
      seen.push(text);
      if (seen.length === 3) ended.abort();
    };
    await showStatus({ setStatus }, clock, ended.signal);
    expect(seen).toEqual(['⏳ still working (60 s)', '⏳ still working (3 min)', '⏳ still working (5 min)']);
  });

  verifies('GW-17', 'has the status as its last line, which the end of the turn removes', async () => {
    for (const mode of ['all', 'off'] as const) {
      const { progress, shown } = open(mode);
      progress.add({ name: 'terminal', arguments: '{"command":"ls"}' });
      progress.setStatus('⏳ still working');
      const line = mode === 'all' ? ['💻 terminal: ls'] : [];
      await vi.waitFor(() => expect(shown()[0]?.split('\n')).toEqual([...line, '⏳ still working']));
      await progress.end();
      await vi.waitFor(() => expect(shown()).toEqual(line));
    }
  });

  it('fits into one message, whatever the calls are', async () => {
    const calls = fc.array(
      fc.record({
        name: fc.oneof(fc.constantFrom('terminal', 'read_file'), fc.string()),
        arguments: fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.json()),
      }),
      { minLength: 1, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(calls, fc.constantFrom('all', 'new', 'verbose'), async (list, mode) => {
        const { progress, shown } = open(mode);
        for (const call of list) {
          progress.add(call);
          await Promise.resolve();
        }
        await new Promise((resolve) => setImmediate(resolve));
        await progress.end();
        expect(shown()).toHaveLength(1);
        expect(shown()[0]?.length).toBeLessThanOrEqual(4096);
      }),
      { numRuns: 60 },
    );
  });
});

/** The progress of a turn on a platform in memory, which renders text as Telegram does. */
function open(mode: ToolProgressMode) {
  const { channel, shown } = createTestChannel();
  const clock = createFakeClock();
  const progress = createToolProgress({
    channel: { ...channel, render: createTelegramChannel({ token: '1:x', variables: {} }).render },
    scheduler: createRateScheduler(channel.facts.rates, clock),
    clock,
    target: { chatId: '7' },
    isGroup: false,
    mode,
    previewLength: 40,
    id: 'turn',
  });
  return { progress, shown };
}
