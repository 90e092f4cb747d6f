import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, OWNER, type RunResult } from '../base/index.ts';
import { SessionHeld } from '../runtime/index.ts';
import { createTemporaryHome, type ModelReply, type ModelScript } from '../testing/index.ts';
import { type ConversationFixture, openFixture } from '../../test/support/conversation-fixture.ts';
import { type Conversation, type ConversationTurn, type Sent, TurnNotStarted } from './index.ts';

const GUEST = { id: 'stranger', role: 'guest' } as const;
const DANGEROUS: ModelReply = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./build' } }] };

let open: ConversationFixture[] = [];
afterEach(async () => {
  for (const fixture of open.reverse()) await fixture.close();
  open = [];
});

async function fixtureWith(script: ModelScript, options: Parameters<typeof openFixture>[1] = {}) {
  const fixture = await openFixture(script, options);
  open.push(fixture);
  return fixture;
}

/** A model that answers each message when the test releases it. */
function heldModel() {
  const asked: { text: string; answer(text: string): void }[] = [];
  const waiting: ((at: number) => void)[] = [];
  const script: ModelScript = ({ messages }) =>
    new Promise<ModelReply>((resolve) => {
      const text = String(messages.findLast(({ role }) => role === 'user')?.content);
      asked.push({ text, answer: (answer) => resolve({ text: answer }) });
      waiting.splice(0).forEach((wake) => wake(asked.length));
    });
  const whenAsked = async (count: number) => {
    while (asked.length < count) await new Promise<number>((resolve) => waiting.push(resolve));
    return asked[count - 1] as (typeof asked)[number];
  };
  return { script, whenAsked };
}

async function eventsOf(turn: ConversationTurn): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

const turnOf = (sent: Sent): ConversationTurn => {
  if (sent.outcome === 'refused') throw new Error('the message was refused');
  return sent.turn;
};
const say = (conversation: Conversation, text: string) => turnOf(conversation.send({ text }, OWNER));
const textOf = async (turn: ConversationTurn) => (await turn.result).finalResponse;
const typesOf = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe('a conversation', () => {
  it('runs a turn and gives every reader all of its events', async () => {
    const fixture = await fixtureWith([{ text: 'hello' }]);
    const conversation = await fixture.open();
    const turn = say(conversation, 'hi');
    const [first, second] = await Promise.all([eventsOf(turn), eventsOf(turn)]);
    expect(await textOf(turn)).toBe('hello');
    expect(typesOf(first)).toEqual(typesOf(second));
    expect(typesOf(first)[0]).toBe('started');
    expect(first.at(-1)?.type).toBe('finished');
    expect(conversation.currentTurn()).toBeUndefined();
    expect(await fixture.services.store.getMessages(conversation.sessionId)).toHaveLength(2);
  });

  it('steers, queues, interrupts or refuses messages during a turn', async () => {
    const model = heldModel();
    const fixture = await fixtureWith(model.script);
    let mode: 'steer' | 'queue' | 'interrupt' | 'refuse' = 'refuse';
    const conversation = await fixture.open({ busy: () => mode });
    const first = say(conversation, 'one');
    const asked = await model.whenAsked(1);
    expect(conversation.send({ text: 'no' }, OWNER)).toEqual({ outcome: 'refused', reason: 'busy' });
    mode = 'steer';
    expect(conversation.send({ text: 'and this' }, OWNER)).toMatchObject({ outcome: 'steered' });
    mode = 'queue';
    const second = conversation.send({ text: 'two' }, OWNER);
    expect(second.outcome).toBe('queued');
    expect(conversation.queued()).toEqual([{ text: 'two' }]);
    asked.answer('first answer');
    // The steered text is part of the first turn, which calls the model once more.
    (await model.whenAsked(2)).answer('with the addition');
    expect(await textOf(first)).toBe('with the addition');
    (await model.whenAsked(3)).answer('second answer');
    expect(await textOf(turnOf(second))).toBe('second answer');
    mode = 'interrupt';
    const third = say(conversation, 'three');
    await model.whenAsked(4);
    const fourth = conversation.send({ text: 'four' }, OWNER);
    expect((await third.result).interrupted).toBe(true);
    (await model.whenAsked(5)).answer('fourth answer');
    expect(await textOf(turnOf(fourth))).toBe('fourth answer');
  });

  it('withdraws a queued message that is interrupted, and drops queued messages when closed', async () => {
    const model = heldModel();
    const fixture = await fixtureWith(model.script);
    const conversation = await fixture.open({ busy: 'queue' });
    const first = say(conversation, 'one');
    const asked = await model.whenAsked(1);
    const withdrawn = say(conversation, 'two');
    withdrawn.interrupt();
    await expect(withdrawn.result).rejects.toThrow(TurnNotStarted);
    expect(await eventsOf(withdrawn)).toEqual([]);
    asked.answer('done');
    await first.result;
    const running = say(conversation, 'three');
    const dropped = say(conversation, 'four');
    await model.whenAsked(2);
    await conversation.close();
    expect((await running.result).interrupted).toBe(true);
    await expect(dropped.result).rejects.toThrow(/conversation was closed/);
  });

  it('asks for approval, stores the question, and accepts the answer of an actor with the role', async () => {
    const fixture = await fixtureWith([DANGEROUS, { text: 'removed' }]);
    const conversation = await fixture.open({ key: 'chat-1' });
    const turn = say(conversation, 'clean up');
    const outcomes: string[] = [];
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      expect(await conversation.openQuestions()).toMatchObject([
        { id: event.requestId, key: 'chat-1', turnId: turn.id, state: 'open', allowed: { role: 'admin' } },
      ]);
      const answer = { kind: 'approval', answer: 'once' } as const;
      outcomes.push(await conversation.answer(event.requestId, answer, GUEST));
      outcomes.push(await conversation.answer(event.requestId, { kind: 'clarify', text: 'yes' }, OWNER));
      outcomes.push(await conversation.answer(event.requestId, answer, OWNER));
      outcomes.push(await conversation.answer(event.requestId, answer, OWNER));
      outcomes.push(await conversation.answer('ask_unknown', answer, OWNER));
    }
    expect(outcomes).toEqual(['forbidden', 'wrong_kind', 'answered', 'not_open', 'not_found']);
    expect((await turn.result).completed).toBe(true);
    expect(await conversation.openQuestions()).toEqual([]);
  });

  it('accepts an answer even if neither the question nor the answer can be stored', async () => {
    const fixture = await fixtureWith([DANGEROUS, { text: 'removed' }]);
    const away = () => Promise.reject(new Error('the database is away'));
    const { store } = fixture.services;
    const services = { ...fixture.services, store: { ...store, addQuestion: away, answerQuestion: away } };
    const conversation = await fixture.open({ services });
    const turn = say(conversation, 'clean up');
    const outcomes: string[] = [];
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      const answer = { kind: 'approval', answer: 'once' } as const;
      for (const actor of [GUEST, OWNER]) outcomes.push(await conversation.answer(event.requestId, answer, actor));
    }
    expect(outcomes).toEqual(['forbidden', 'answered']);
    expect((await turn.result).finalResponse).toBe('removed');
  });

  it('interrupts a message immediately that waits for another conversation with the same session', async () => {
    const model = heldModel();
    const fixture = await fixtureWith(model.script);
    const first = await fixture.open();
    const running = say(first, 'one');
    const asked = await model.whenAsked(1);
    const second = await fixture.open({ session: { resume: first.sessionId } });
    const waiting = say(second, 'two');
    second.interrupt();
    await expect(waiting.result).rejects.toThrow(TurnNotStarted);
    asked.answer('done');
    expect(await textOf(running)).toBe('done');
    await second.close();
    expect(() => say(second, 'three')).toThrow(/closed/);
  });

  it('stores the question of a subagent once, as a question of its parent', async () => {
    const delegate: ModelReply = {
      toolCalls: [{ name: 'delegate_task', arguments: { tasks: [{ goal: 'clean up' }] } }],
    };
    const fixture = await fixtureWith(({ messages, system }) => {
      if (messages.at(-1)?.role === 'tool') return { text: 'done' };
      return system.includes('another agent delegated') ? DANGEROUS : delegate;
    });
    const conversation = await fixture.open();
    const turn = say(conversation, 'have it cleaned up');
    const asked: number[] = [];
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      asked.push((await fixture.services.store.listOpenQuestions()).length);
      expect((await conversation.openQuestions())[0]?.sessionId).toBe(conversation.sessionId);
      await conversation.answer(event.requestId, { kind: 'approval', answer: 'deny' }, OWNER);
    }
    expect(asked).toEqual([1]);
    expect((await turn.result).completed).toBe(true);
  });

  it('continues a stored session, and follows it through a reset, a branch and a switch', async () => {
    const fixture = await fixtureWith(({ messages }) => ({ text: `heard ${messages.length}` }));
    const first = await fixture.open();
    await say(first, 'one').result;
    const { sessionId } = first;
    const second = await fixture.open({ session: { resume: sessionId } });
    await say(second, 'two').result;
    expect(second.sessionId).toBe(sessionId);
    expect((await fixture.services.store.getMessages(sessionId)).length).toBe(4);
    const branch = await second.branch();
    expect(second.sessionId).toBe(branch?.id);
    await second.reset();
    expect([sessionId, branch?.id]).not.toContain(second.sessionId);
    expect(await second.switchTo(sessionId)).toBe('other');
    expect(await second.switchTo(sessionId)).toBe('same');
    expect(await textOf(say(second, 'three'))).toMatch(/^heard/);
    expect((await second.undo(1)) !== undefined).toBe(true);
    expect(await second.redo()).toBe(2);
  });

  it('follows a session that another process compressed, with a notice', async () => {
    const filler = 'and so on, as was said before; '.repeat(60);
    const script: ModelScript = ({ tools }) => ({ text: tools.length === 0 ? 'SUMMARY' : `Heard. ${filler}` });
    const config = 'compression: { protect_last_n: 2 }\nmodel: { context_length: 8000 }\n';
    const home = await createTemporaryHome();
    const here = await fixtureWith(script, { home, config });
    const there = await fixtureWith(script, { home, config });
    const notices: object[] = [];
    const conversation = await here.open({ onNotice: (notice) => notices.push(notice) });
    for (let topic = 1; topic <= 6; topic += 1) await say(conversation, `topic ${topic}`).result;
    const other = await there.open({ session: { resume: conversation.sessionId } });
    expect(await other.compress()).toBeDefined();
    await say(other, 'said elsewhere').result;
    const result: RunResult = await say(conversation, 'said here').result;
    expect(result.sessionId).toBe(other.sessionId);
    expect(notices).toEqual([{ type: 'moved', sessionId: other.sessionId }]);
    const said = result.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said.slice(-2)).toEqual(['said elsewhere', 'said here']);
    for (const fixture of open.splice(0).reverse()) await fixture.close();
    await home.remove();
  });

  it('asks what to do about a session that another process holds', async () => {
    const model = heldModel();
    const home = await createTemporaryHome();
    const there = await fixtureWith(model.script, { home });
    const here = await fixtureWith([{ text: 'in the branch' }, { text: 'again' }], { home });
    const holder = await there.open();
    const first = say(holder, 'one');
    (await model.whenAsked(1)).answer('stored');
    await first.result;
    const running = say(holder, 'two');
    await model.whenAsked(2);
    const session = { resume: holder.sessionId };
    const failing = await here.open({ session });
    await expect(say(failing, 'three').result).rejects.toThrow(SessionHeld);
    const cancelling = await here.open({ session, onHeld: async () => 'cancel' });
    await expect(say(cancelling, 'three').result).rejects.toThrow(TurnNotStarted);
    const branching = await here.open({ session, onHeld: async () => 'branch' });
    expect(await textOf(say(branching, 'three'))).toBe('in the branch');
    expect(branching.sessionId).not.toBe(holder.sessionId);
    const waiting = await here.open({
      session,
      async onHeld() {
        (await model.whenAsked(2)).answer('finished');
        await running.result;
        return 'retry';
      },
    });
    expect(await textOf(say(waiting, 'four'))).toBe('again');
    expect(waiting.sessionId).toBe(holder.sessionId);
    for (const fixture of open.splice(0).reverse()) await fixture.close();
    await home.remove();
  });
});
