import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, OWNER } from '../base/index.ts';
import { createTemporaryHome, type ModelReply, type ModelScript, type TemporaryHome } from '../testing/index.ts';
import { type ConversationFixture, openFixture } from '../../test/support/conversation-fixture.ts';
import { type Conversation, findRunningTurn, listRunningTurns, type RemoteTurn } from './index.ts';

const GUEST = { id: 'stranger', role: 'guest' } as const;
const YES = { kind: 'approval', answer: 'once' } as const;
const DANGEROUS: ModelReply = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./build' } }] };

/** Two sets of services on one database, like two processes. */
describe('a turn of another process', () => {
  let home: TemporaryHome;
  let open: ConversationFixture[] = [];
  afterEach(async () => {
    for (const fixture of open.reverse()) await fixture.close();
    open = [];
    await home.remove();
  });

  async function openTwo(script: ModelScript) {
    home = await createTemporaryHome();
    const owner = await openFixture(script, { home });
    const watcher = await openFixture([], { home });
    open.push(owner, watcher);
    return { owner, watcher };
  }

  async function findTurn({ services }: ConversationFixture, { sessionId }: Conversation): Promise<RemoteTurn> {
    return expect
      .poll(() => findRunningTurn(services, sessionId))
      .toBeDefined()
      .then(async () => {
        const turn = await findRunningTurn(services, sessionId);
        if (turn === undefined) throw new Error('the turn has ended');
        return turn;
      });
  }

  it('can be watched, steered and interrupted', async () => {
    const asked: string[] = [];
    const gate = Promise.withResolvers<ModelReply>();
    const { owner, watcher } = await openTwo(({ messages }) => {
      asked.push(String(messages.at(-1)?.content));
      return asked.length === 1 ? gate.promise : new Promise(() => undefined);
    });
    const conversation = await owner.open();
    const turn = conversation.queue({ text: 'begin' });
    const remote = await findTurn(watcher, conversation);
    expect((await listRunningTurns(watcher.services)).map(({ sessionId }) => sessionId)).toEqual([remote.sessionId]);
    expect(remote.holder).toMatchObject({ pid: process.pid, surface: 'test' });
    const seen: AgentEvent[] = [];
    const watching = (async () => {
      for await (const event of remote.events()) seen.push(event);
    })();
    expect(await remote.steer('use blue', GUEST)).toBe('refused');
    expect(await remote.steer('use blue', OWNER)).toBe('done');
    gate.resolve({ text: 'first words' });
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toContain('use blue');
    await expect.poll(() => seen.map(({ type }) => type)).toContain('steered');
    expect(await remote.interrupt('that is enough', OWNER)).toBe('done');
    expect(await turn.result).toMatchObject({ interrupted: true, error: { message: 'that is enough' } });
    await watching;
    expect(seen[0]?.type).toBe('started');
    expect(await remote.steer('too late', OWNER)).toBe('ended');
    expect(await findRunningTurn(watcher.services, conversation.sessionId)).toBeUndefined();
  });

  it('accepts answers to its questions', async () => {
    const { owner, watcher } = await openTwo([DANGEROUS, { text: 'removed' }]);
    const conversation = await owner.open({ key: 'chat' });
    const turn = conversation.queue({ text: 'clean up' });
    const { store } = watcher.services;
    await expect.poll(() => store.listOpenQuestions()).toHaveLength(1);
    const [question] = await store.listOpenQuestions({ key: 'chat' });
    const remote = await findTurn(watcher, conversation);
    expect(await remote.answer(question?.id ?? '', YES, GUEST)).toBe('forbidden');
    expect(await remote.answer(question?.id ?? '', YES, OWNER)).toBe('answered');
    expect(await turn.result).toMatchObject({ completed: true, finalResponse: 'removed' });
    expect(await store.getQuestion(question?.id ?? '')).toMatchObject({ answeredBy: OWNER, state: 'answered' });
  });

  it('that died leaves the answer for the next turn that asks the same question', async () => {
    const { owner, watcher } = await openTwo([DANGEROUS, { text: 'removed' }]);
    // Simulates a killed process, which cannot close its question.
    const killed = { ...owner.services.store, closeQuestion: async () => undefined };
    const conversation = await owner.open({ services: { ...owner.services, store: killed } });
    const stop = new AbortController();
    const first = conversation.queue({ text: 'clean up', signal: stop.signal });
    const { store } = watcher.services;
    await expect.poll(() => store.listOpenQuestions()).toHaveLength(1);
    const [question] = await store.listOpenQuestions();
    expect(await store.answerQuestion(question?.id ?? '', YES, OWNER, Date.now())).toBe('answered');
    stop.abort(new Error('killed'));
    await first.result;
    const next = await openFixture([DANGEROUS, { text: 'removed after all' }], { home });
    open.push(next);
    const resumed = await next.open({ session: { resume: conversation.sessionId } });
    const requests: AgentEvent[] = [];
    const turn = resumed.queue({ text: 'go on' });
    for await (const event of turn) if (event.type === 'request') requests.push(event);
    expect(await turn.result).toMatchObject({ completed: true, finalResponse: 'removed after all' });
    expect(requests).toEqual([]);
    expect((await store.getQuestion(question?.id ?? ''))?.usedAt).toBeDefined();
  });
});
