import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openAuxiliaryModels, startServer } from '../../../test/support/auxiliary-fixture.ts';
import { answering, longConversation, summaryWith } from '../../../test/support/context-fixture.ts';
import { routeToServer } from '../../../test/support/provider-fixture.ts';
import type { Reply } from '../../testing/index.ts';
import { LONG_WORK, openEngine } from '../../../test/support/compressor-fixture.ts';
import { SUMMARY_SYSTEM } from './sections.ts';

const usage = { input: 100, output: 10 };
const good: Reply = { text: summaryWith({ Goal: 'by another model' }), usage };

/** The compressor with a chain of models behind real servers; each repeats its last reply. */
async function openChain(chain: Readonly<Record<string, readonly Reply[]>>) {
  const opened = await Promise.all(
    Object.entries(chain).map(async ([name, script]) => {
      const server = await startServer({ script: [...script], repeatLast: true });
      return { name, server, route: routeToServer(server, 'chat_completions', name) };
    }),
  );
  const auxiliary = await openAuxiliaryModels(opened.map(({ route }) => route));
  const engine = openEngine(auxiliary.models);
  return {
    ...auxiliary,
    engine,
    compress: (changes = {}) => engine.compress(LONG_WORK, { sessionId: 'one', ...changes }),
    /** The number of requests to each model. */
    asked: () => opened.map(({ server }) => server.requests.length),
    questionsTo: (name: string) =>
      opened.find((each) => each.name === name)?.server.requests.map(({ lastUserText }) => lastUserText) ?? [],
  };
}

const loop = `${summaryWith()}\n- and then the tests were run again\n`;
const UNUSABLE: Readonly<Record<string, Reply>> = {
  'a refusal': { text: "I'm sorry, but I cannot help with that." },
  'not have the requested format': { text: '好的，我已经总结了以上内容。' },
  'without most of its sections': { text: summaryWith().split('\n').slice(0, 6).join('\n') },
  'repeats itself': { text: loop.repeat(12) },
  'repeats its own instructions': { text: `${SUMMARY_SYSTEM}\n${summaryWith()}` },
  'exceeds the length limit': {
    text: summaryWith({ Done: Array.from({ length: 4_000 }, (_, n) => `step ${n}`).join(' ') }),
  },
  truncated: { text: summaryWith(), finishReason: 'length' },
  empty: { text: '  ' },
};

describe('an unusable summary', () => {
  for (const [fault, reply] of Object.entries(UNUSABLE)) {
    const words = fault === 'without most of its sections' ? 'not have the requested format' : fault;
    verifies(
      'CTX-8',
      `is retried with the rejection reason and then written by the next model of the chain: ${fault}`,
      async () => {
        const { compress, asked, questionsTo, warnings } = await openChain({ small: [reply], main: [good] });
        const { summary, body } = await compress();
        expect(summary).toEqual({ by: 'model', model: 'main/test-model' });
        expect(body).toContain('by another model');
        expect(asked()).toEqual([2, 1]);
        const [first, second] = questionsTo('small');
        expect(second).toMatch(new RegExp(`Your previous answer could not be used: .*${words}`));
        // The next model gets the original question without the rejection reason, because it has not answered yet.
        expect(questionsTo('main')).toEqual([first]);
        expect(warnings).toMatchObject(
          [1, 2].map(() => ({
            task: 'compression',
            route: 'small/test-model',
            reason: expect.stringContaining(words),
          })),
        );
        expect(JSON.stringify(warnings)).not.toContain('test-secret');
      },
    );
  }

  verifies(
    'CTX-8',
    'is replaced by an extract if no model of the chain succeeds, with the reason for each',
    async () => {
      const { compress, asked } = await openChain({
        small: [UNUSABLE['a refusal'] as Reply],
        middle: [UNUSABLE['truncated'] as Reply],
        main: [UNUSABLE['empty'] as Reply],
      });
      const { summary, body } = await compress();
      expect(asked()).toEqual([2, 2, 2]);
      expect(summary).toMatchObject({
        by: 'extract',
        why: expect.stringMatching(/small\/.* it is a refusal; middle\/.* it was truncated; main\/.* it was empty$/),
      });
      expect(body).toContain('- ran terminal {"command":"step x"}');
      expect(body).not.toContain('You maintain the record');
    },
  );

  verifies('CTX-8', 'is replaced by the second answer of the same model if that is usable', async () => {
    const { compress, asked } = await openChain({ small: [{ text: 'no' }, good], main: [good] });
    expect((await compress()).summary).toEqual({ by: 'model', model: 'small/test-model' });
    expect(asked()).toEqual([2, 0]);
  });

  verifies('CTX-8', 'is requested from the next model immediately if a provider filters it', async () => {
    const withheld: Reply = { text: summaryWith(), finishReason: 'content_filter' };
    const { compress, asked } = await openChain({ small: [withheld], main: [good] });
    expect((await compress()).summary).toEqual({ by: 'model', model: 'main/test-model' });
    expect(asked()).toEqual([1, 1]);
    const passedOn = answering(() => ({ text: summaryWith(), finishReason: 'content_filter' }));
    expect((await openEngine(passedOn).compress(LONG_WORK)).summary.why).toContain('withheld');
  });

  verifies('CTX-8', 'is requested from the next reachable model', async () => {
    const gone: Reply = { fault: { type: 'status', status: 404 } };
    const { compress, asked } = await openChain({ small: [{ text: 'no' }, gone], middle: [gone], main: [good] });
    expect((await compress()).summary).toEqual({ by: 'model', model: 'main/test-model' });
    expect(asked()).toEqual([2, 1, 1]);
  });

  verifies(['CTX-8', 'CALL-11'], 'is counted as a discarded cost', async () => {
    const { compress, store } = await openChain({ small: [{ text: 'no', usage }], main: [good] });
    await compress({ taskId: 'turn-1' });
    const { calls } = await store.exportSession('one');
    expect(calls.map(({ purpose, taskId, provider, outcome }) => [purpose, taskId, provider, outcome])).toEqual([
      ['compression', 'turn-1', 'small', 'discarded'],
      ['compression', 'turn-1', 'small', 'discarded'],
      ['compression', 'turn-1', 'main', 'ok'],
    ]);
    expect((await store.sessionSpending('one')).tokens).toBe(330);
  });

  verifies('CTX-8', 'is not requested again for 60 s if every model failed, unless the user asks', async () => {
    const { compress, asked, engine } = await openChain({ small: [{ text: 'no' }, { text: 'no' }, good] });
    const compressAutomatically = () => compress({ reason: 'results', attempt: 2 });
    expect((await compressAutomatically()).summary.by).toBe('extract');
    engine.clock.advance(59_999);
    expect((await compressAutomatically()).summary.why).toMatch(
      /in cooldown for 1 s more after this error: .*not have the requested format/,
    );
    expect(asked()).toEqual([2]);
    engine.clock.advance(1);
    expect((await compressAutomatically()).summary.by).toBe('model');
  });

  verifies('CTX-8', 'stops further requests after two chunks', async () => {
    const { engine, asked } = await openChain({ small: [{ text: 'no' }], main: [good] });
    const { summary } = await engine.compress(longConversation(60), { contextLength: 10_000, sessionId: 'one' });
    expect(summary).toEqual({ by: 'model', model: 'main/test-model' });
    expect(asked()[1]).toBeGreaterThan(2);
    expect(asked()[0]).toBe(4);
  });

  verifies('CTX-8', 'causes no cooldown if another chunk was summarised', async () => {
    const auxiliary = answering((_request, call) => (call === 1 ? 'no' : summaryWith({ Goal: `piece ${call}` })));
    const { compress } = openEngine(auxiliary);
    const compressAutomatically = () =>
      compress(longConversation(60), { contextLength: 10_000, reason: 'results', attempt: 2 });
    expect((await compressAutomatically()).summary).toMatchObject({
      by: 'model',
      why: expect.stringContaining('partly extracted'),
    });
    expect((await compressAutomatically()).summary).toEqual({ by: 'model', model: 'test/small' });
  });

  verifies('CTX-8', 'is not reported for a long list of files in one folder', async () => {
    const files = Array.from(
      { length: 14 },
      (_, n) => `packages/app/src/components/dashboard/widgets/Widget${n}.tsx (read)`,
    );
    const auxiliary = answering(() => summaryWith({ Files: files.join('\n- ') }));
    expect((await openEngine(auxiliary).compress(LONG_WORK)).summary.by).toBe('model');
  });
});
