import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openAuxiliaryModels, startServer } from '../../../test/support/auxiliary-fixture.ts';
import {
  answering,
  applyCompression,
  inputOf,
  longConversation,
  summaryWith,
} from '../../../test/support/context-fixture.ts';
import { routeToServer } from '../../../test/support/provider-fixture.ts';
import { HermesError, ModelError, type ModelErrorKind } from '../../base/index.ts';
import { LONG_WORK as messages, openEngine } from '../../../test/support/compressor-fixture.ts';

function failure(kind: ModelErrorKind): HermesError {
  const helps = { retryable: true, compress: kind === 'context_overflow', rotateCredential: false, fallBack: true };
  const cause = new ModelError({ kind, message: `it said ${kind}`, ...helps });
  return new HermesError(`No model could do it: it said ${kind}.`, { cause });
}

describe('a summary that no model can write', () => {
  verifies('CTX-8', 'is replaced by an extract of requests, tools, files, errors and answers', async () => {
    const { compress } = openEngine(undefined);
    const { summary, body } = await compress(messages);
    expect(summary).toEqual({ by: 'extract', why: 'no model is configured for compression' });
    expect(body).toContain('- #8: Wish number 1: edit module1');
    expect(body).toContain('- ran terminal {"command":"step x"}');
    expect(body).toContain('- src/y.ts (read_file)');
    expect(body).toContain('- terminal: Error: cannot find module zod');
    expect(body).toContain('- answered: The module is there now.');
  });

  verifies(
    'CTX-8',
    'is not requested again for 60 s after a temporary failure, or 600 s without a provider',
    async () => {
      for (const [thrown, seconds] of [
        [failure('overloaded'), 60],
        [failure('timeout'), 60],
        [failure('auth'), 600],
        [new HermesError('No model could do it: there is none that could be asked.'), 600],
      ] as const) {
        let isBroken = true;
        const auxiliary = answering(() => {
          if (isBroken) throw thrown;
          return summaryWith({ Goal: 'it works again' });
        });
        const { clock, compress } = openEngine(auxiliary);
        const compressAutomatically = () => compress(messages, { reason: 'results', attempt: 2 });
        expect((await compressAutomatically()).summary).toEqual({
          by: 'extract',
          why: thrown.message.replace(/\.$/, ''),
        });
        isBroken = false;
        clock.advance(seconds * 1_000 - 1);
        const resting = await compressAutomatically();
        expect(resting.summary).toMatchObject({
          by: 'extract',
          why: expect.stringContaining('in cooldown for 1 s more'),
        });
        expect(auxiliary.requests).toHaveLength(1);
        // A compression that the user asked for ignores the cooldown.
        expect((await compress(messages)).summary.by).toBe('model');
        clock.advance(1);
        expect((await compressAutomatically()).body).toContain('it works again');
      }
    },
  );

  verifies('CTX-8', 'keeps the content of the previous summary', async () => {
    const first = openEngine(answering(() => summaryWith({ Decisions: 'we took port 8123', Goal: 'ship it' })));
    const compression = await first.engine.compress(inputOf(messages, { contextLength: 30_000, reason: 'command' }));
    const after = [...applyCompression(messages, compression?.messages ?? []), ...longConversation(8)];
    const { body, summary } = await openEngine(undefined).compress(after);
    expect(summary.by).toBe('extract');
    expect(body).toContain('- we took port 8123');
    expect(body).toContain('- ship it');
    expect(body).toContain('- #8: Wish number 1: edit module1');
  });

  verifies('CTX-8', 'falls back to the next model of the chain if a model is missing or overloaded', async () => {
    const script = [
      { fault: { type: 'status', status: 404 } },
      ...[503, 503].map((status) => ({ fault: { type: 'status' as const, status } })),
    ] as const;
    for (const replies of [script.slice(0, 1), script.slice(1)]) {
      const small = await startServer({ script: [...replies] });
      const main = await startServer({
        script: [{ text: summaryWith({ Goal: 'by the main model' }) }],
        repeatLast: true,
      });
      const routes = [
        routeToServer(small, 'chat_completions', 'small'),
        routeToServer(main, 'chat_completions', 'main'),
      ];
      const { models } = await openAuxiliaryModels(routes);
      const { summary, body } = await openEngine(models).compress(messages, { sessionId: 'one' });
      expect(summary).toEqual({ by: 'model', model: 'main/test-model' });
      expect(body).toContain('by the main model');
      expect(small.requests).toHaveLength(replies.length);
    }
  });

  verifies('CTX-8', 'stops immediately when aborted', async () => {
    const controller = new AbortController();
    const auxiliary = answering(() => {
      controller.abort(new Error('stop'));
      throw controller.signal.reason as Error;
    });
    const { engine } = openEngine(auxiliary);
    await expect(
      engine.compress(inputOf(messages, { contextLength: 30_000, reason: 'command', signal: controller.signal })),
    ).rejects.toThrow('stop');
  });
});

describe('a middle that is too large for the summary model', () => {
  verifies('CTX-8', 'is summarised in chunks, each of which updates the record', async () => {
    const auxiliary = answering((_request, call) => summaryWith({ Values: `value of piece ${call} is ${call}001` }));
    const long = longConversation(60);
    const { summary, body } = await openEngine(auxiliary).compress(long, { contextLength: 20_000 });
    expect(auxiliary.requests.length).toBeGreaterThan(2);
    expect(summary).toEqual({ by: 'model', model: 'test/small' });
    const numbers = auxiliary.requests.map(({ messages: [question] }) =>
      [...(question?.content.matchAll(/^\{"number":(\d+),/gm) ?? [])].map(([, number]) => Number(number)),
    );
    // Every message of the middle is in exactly one chunk, in order.
    const all = numbers.flat();
    expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    expect(auxiliary.requests[1]?.messages[0]?.content).toContain('value of piece 1 is 1001');
    expect(body).toContain('value of piece 1 is 1001');
  });

  verifies('CTX-8', 'is retried in smaller chunks if a provider rejects the size', async () => {
    const auxiliary = answering(({ messages: [question] }) => {
      if ((question?.content.length ?? 0) > 8_000) throw failure('context_overflow');
      return summaryWith({ Goal: 'piece by piece' });
    });
    const { summary } = await openEngine(auxiliary).compress(longConversation(40), {
      contextLength: 16_000,
      reason: 'command',
    });
    expect(summary).toEqual({ by: 'model', model: 'test/small' });
  });

  verifies('CTX-8', 'reports the part that no model could summarise', async () => {
    const auxiliary = answering((_request, call) => (call === 2 ? 'no' : summaryWith({ Goal: `piece ${call}` })));
    const { summary } = await openEngine(auxiliary).compress(longConversation(60), {
      contextLength: 10_000,
      reason: 'command',
    });
    expect(summary).toMatchObject({
      by: 'model',
      why: expect.stringContaining('partly extracted: The answer of test/small'),
    });
  });
});
