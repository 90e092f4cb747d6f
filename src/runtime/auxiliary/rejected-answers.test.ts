import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { asking, openAuxiliaryModels, openPair, startServer } from '../../../test/support/auxiliary-fixture.ts';
import { routeToServer } from '../../../test/support/provider-fixture.ts';
import type { HermesError, Message } from '../../base/index.ts';
import { type AuxiliaryRequest, UnusableAnswers } from '../../contracts/index.ts';

describe('answers checked by the caller', () => {
  verifies('PROV-8', 'are requested again with the rejection reason, then from the next model', async () => {
    const { first, second, models, clock, warnings } = await openPair([{ text: 'red' }, { text: 'green' }]);
    const seen: string[] = [];
    const findFault = ({ text }: { text: string }) => {
      seen.push(text);
      return text === 'from the second' ? undefined : 'it is no sentence';
    };
    expect((await models.ask('mcp', asking({ findRejectionReason: findFault }))).text).toBe('from the second');
    expect(seen).toEqual(['red', 'green', 'from the second']);
    const retried = 'what is it?\n\nYour previous answer could not be used: it is no sentence.';
    expect(first.requests.map(({ lastUserText }) => lastUserText)).toEqual(['what is it?', retried]);
    expect(second.requests.map(({ lastUserText }) => lastUserText)).toEqual(['what is it?']);
    const reason = 'the answer could not be used: it is no sentence';
    expect(warnings).toMatchObject([1, 2].map(() => ({ task: 'mcp', route: 'first/test-model', reason })));
    // Each request gets the full timeout of the task, and there is no pause between requests.
    expect([clock.timeouts, clock.pauses]).toEqual([[30_000, 30_000, 30_000], []]);
  });

  it('get the rejection reason in a separate message after a tool result', async () => {
    const { first, models } = await openPair([{ text: 'red' }, { text: 'green' }]);
    const toolCalls = [{ id: 'a', name: 'look', arguments: '{}' }];
    const messages: Message[] = [
      { role: 'user', content: 'what is it?' },
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', toolCallId: 'a', toolName: 'look', content: 'a tree' },
    ];
    await models.ask(
      'mcp',
      asking({ messages, findRejectionReason: ({ text }) => (text === 'red' ? 'it is wrong' : undefined) }),
    );
    expect(first.requests[1]?.lastUserText).toBe('Your previous answer could not be used: it is wrong.');
    expect(first.requests.map(({ faults }) => faults)).toEqual([[], []]);
  });

  verifies('PROV-8', 'put a model last for ten minutes after two unusable answers in a row', async () => {
    let isBad = true;
    const first = await startServer({ script: [{ text: 'red' }], repeatLast: true });
    const second = await startServer({ script: [{ text: 'from the second' }], repeatLast: true });
    const { models, clock } = await openAuxiliaryModels([
      routeToServer(first, 'chat_completions', 'first'),
      routeToServer(second, 'chat_completions', 'second'),
    ]);
    const judge: AuxiliaryRequest['findRejectionReason'] = ({ text }) =>
      isBad && text === 'red' ? 'it is red' : undefined;
    const ask = (findFault = judge) => models.ask('mcp', asking({ findRejectionReason: findFault }));
    for (const asked of [2, 4, 4]) {
      expect((await ask()).text).toBe('from the second');
      expect(first.requests).toHaveLength(asked);
    }
    // Other tasks still use the rejected model first, and this task still tries it if the others fail.
    expect((await models.ask('vision', asking())).text).toBe('red');
    expect((await ask(({ text }) => (text === 'red' ? undefined : 'it is not red'))).text).toBe('red');
    // The model succeeded, so it is tried first again.
    isBad = false;
    expect((await ask()).text).toBe('red');
    isBad = true;
    await ask();
    await ask();
    const before = first.requests.length;
    clock.advance(599_999);
    await ask();
    expect(first.requests).toHaveLength(before);
    clock.advance(1);
    await ask();
    expect(first.requests).toHaveLength(before + 2);
  });

  verifies('PROV-8', 'throw an error without a cause if there were answers but none was usable', async () => {
    const { models } = await openPair([{ fault: { type: 'status', status: 401 } }]);
    const failure = await models
      .ask('mcp', asking({ findRejectionReason: () => 'it is no sentence' }))
      .catch((thrown: unknown) => thrown as HermesError);
    expect(failure).toBeInstanceOf(UnusableAnswers);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/first\/test-model: .*; second\/test-model: the answer .* it is no sentence\.$/),
    });
    expect((failure as HermesError).cause).toBeUndefined();
  });
});
