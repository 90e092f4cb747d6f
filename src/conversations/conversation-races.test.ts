import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, OWNER } from '../base/index.ts';
import { createTemporaryHome, type ModelReply, type ModelScript, type TemporaryHome } from '../testing/index.ts';
import { type ConversationFixture, openFixture } from '../../test/support/conversation-fixture.ts';
import { findRunningTurn, TurnNotStarted } from './index.ts';

const GUEST = { id: 'stranger', role: 'guest' } as const;
const YES = { kind: 'approval', answer: 'once' } as const;
const DANGEROUS: ModelReply = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./build' } }] };

const never = () => new Promise<ModelReply>(() => undefined);

let home: TemporaryHome;
let open: ConversationFixture[] = [];
afterEach(async () => {
  for (const fixture of open.reverse()) await fixture.close();
  open = [];
  await home.remove();
});

/** Several sets of services on one database, like several processes. */
async function openProcesses(...scripts: ModelScript[]): Promise<ConversationFixture[]> {
  home = await createTemporaryHome();
  for (const script of scripts) open.push(await openFixture(script, { home }));
  return open;
}

async function openOne(script: ModelScript): Promise<ConversationFixture> {
  const [fixture] = await openProcesses(script);
  return fixture as ConversationFixture;
}

/** Changes the database as another program would. */
function changeRows(change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(home.path, 'state.db'));
  change(database);
  database.close();
}

describe('a closed conversation', () => {
  it('rejects messages, and withdraws those that wait for the session', async () => {
    const [there, here] = (await openProcesses(never, [])) as [ConversationFixture, ConversationFixture];
    const holder = await there.open();
    const running = holder.queue({ text: 'one' });
    await expect.poll(() => running.isRunning()).toBe(true);
    await expect.poll(() => here.services.store.getSession(holder.sessionId)).toBeDefined();
    const conversation = await here.open({
      session: { resume: holder.sessionId },
      onHeld: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    });
    const undone = conversation.undo(1).catch((thrown: unknown) => thrown);
    const closing = conversation.close();
    expect(() => conversation.queue({ text: 'while it is closed' })).toThrow('closed');
    await closing;
    expect(await undone).toBeInstanceOf(TurnNotStarted);
    expect(conversation.currentTurn()).toBeUndefined();
  });
});

describe('a turn that starts while the conversation switches sessions', () => {
  it('runs under the lease of the session it is stored in', async () => {
    const { services, open: openHere } = await openOne(() => ({ text: 'ok' }));
    const conversation = await openHere();
    for (let steps = 0; steps < 25; steps += 1) {
      const changing = conversation.reset();
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      const { sessionId } = await conversation.queue({ text: 'hi' }).result;
      await changing;
      const outcome = await services.store.acquireLease(sessionId, { pid: 1, host: 'h', surface: 's' }, 1);
      expect(outcome).toMatchObject({ acquired: true, lease: { previousToken: expect.any(String) as string } });
      if (outcome.acquired) await services.store.releaseLease(outcome.lease);
    }
  });
});

describe('two conversations of one process on one session', () => {
  it("see each other's messages", async () => {
    const asked: string[][] = [];
    const fixture = await openOne(({ messages }) => {
      asked.push(messages.filter(({ role }) => role === 'user').map(({ content }) => content));
      return { text: 'ok' };
    });
    const first = await fixture.open();
    await first.queue({ text: 'a' }).result;
    const second = await fixture.open({ session: { resume: first.sessionId } });
    await second.queue({ text: 'b' }).result;
    await first.queue({ text: 'c' }).result;
    await second.queue({ text: 'd' }).result;
    expect(asked.at(-1)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked.at(-2)).toEqual(['a', 'b', 'c']);
  });
});

describe('a turn withdrawn while another conversation of the process was running', () => {
  it('does not prevent the next one from seeing the messages', async () => {
    const gate = Promise.withResolvers<ModelReply>();
    let calls = 0;
    const fixture = await openOne(() => (++calls === 3 ? gate.promise : { text: 'ok' }));
    const first = await fixture.open();
    await first.queue({ text: 'a' }).result;
    const second = await fixture.open({ session: { resume: first.sessionId } });
    await second.queue({ text: 'b' }).result;
    const running = first.queue({ text: 'c' });
    await expect.poll(() => calls).toBe(3);
    const withdrawn = second.queue({ text: 'not this' });
    withdrawn.interrupt();
    gate.resolve({ text: 'ok' });
    await expect(withdrawn.result).rejects.toThrow(TurnNotStarted);
    await running.result;
    const { messages } = await second.queue({ text: 'd' }).result;
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a surface that throws', () => {
  it('does not prevent the next message from being sent', async () => {
    let calls = 0;
    const fixture = await openOne(() => (++calls === 1 ? never() : { text: 'ok' }));
    const onUndelivered = () => {
      throw new Error('a fault of the surface');
    };
    const conversation = await fixture.open({ onUndelivered });
    const turn = conversation.queue({ text: 'one' });
    await expect.poll(() => calls).toBe(1);
    turn.steer('more');
    turn.interrupt();
    expect((await turn.result).undelivered).toBe('more');
    expect((await conversation.queue({ text: 'two' }).result).finalResponse).toBe('ok');
  });
});

describe('a question', () => {
  it('that could not be stored can still be answered by allowed actors', async () => {
    const fixture = await openOne([DANGEROUS, { text: 'done' }]);
    const conversation = await fixture.open();
    changeRows((database) => database.exec('DROP TABLE questions'));
    const turn = conversation.queue({ text: 'clean up' });
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      expect(await conversation.answer(event.requestId, YES, GUEST)).toBe('forbidden');
      expect(await conversation.answer(event.requestId, YES, OWNER)).toBe('answered');
    }
    expect((await turn.result).finalResponse).toBe('done');
  });

  it('of a turn that is ending accepts no answer, and none is kept for the next turn', async () => {
    const fixture = await openOne(({ messages }) => (messages.at(-1)?.role === 'user' ? DANGEROUS : { text: 'done' }));
    const conversation = await fixture.open();
    const turn = conversation.queue({ text: 'clean up' });
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      const answering = conversation.answer(event.requestId, YES, OWNER);
      turn.interrupt();
      expect(await answering).toBe('not_open');
    }
    const again = conversation.queue({ text: 'clean up again' });
    const requests: AgentEvent[] = [];
    for await (const event of again) {
      if (event.type !== 'request') continue;
      requests.push(event);
      again.interrupt();
    }
    expect(requests).toHaveLength(1);
  });

  it('of another process is answered there', async () => {
    const [there, here] = (await openProcesses([DANGEROUS, { text: 'done' }], [])) as [
      ConversationFixture,
      ConversationFixture,
    ];
    const turn = (await there.open({ key: 'chat' })).queue({ text: 'clean up' });
    const conversation = await here.open({ key: 'chat' });
    await expect.poll(() => conversation.openQuestions()).toHaveLength(1);
    const [question] = await conversation.openQuestions();
    expect(await conversation.answer(question?.id ?? '', YES, OWNER)).toBe('answered');
    expect((await turn.result).finalResponse).toBe('done');
  });

  it('is denied by an unknown answer', async () => {
    const fixture = await openOne([DANGEROUS, { text: 'done' }]);
    const conversation = await fixture.open();
    const turn = conversation.queue({ text: 'clean up' });
    for await (const event of turn) {
      if (event.type !== 'request') continue;
      const unknown = { kind: 'approval', answer: 'no' } as unknown as typeof YES;
      expect(await conversation.answer(event.requestId, unknown, OWNER)).toBe('answered');
    }
    const result = (await turn.result).messages.find(({ role }) => role === 'tool');
    expect(result?.content).toContain('Not allowed');
  });
});

describe('rows that another program wrote', () => {
  it('do not break reading commands, progress and questions', async () => {
    const [there, here] = (await openProcesses(never, [])) as [ConversationFixture, ConversationFixture];
    const conversation = await there.open();
    const turn = conversation.queue({ text: 'one' });
    await expect.poll(() => findRunningTurn(here.services, conversation.sessionId)).toBeDefined();
    const remote = await findRunningTurn(here.services, conversation.sessionId);
    const token = remote?.holder.token ?? '';
    await expect.poll(() => here.services.store.readProgress(token, 0)).not.toHaveLength(0);
    changeRows((database) => {
      const command = database.prepare(
        `INSERT INTO turn_commands (id, turn_token, body, actor, state, created_at) VALUES (?, ?, ?, ?, 'pending', 9e9)`,
      );
      const bodies = ['no JSON', 'null', '{"kind":"steer"}', '{"kind":"answer"}', '{"kind":"unknown"}'];
      for (const body of bodies) command.run(`by the owner: ${body}`, token, body, '{"id":"x","role":"owner"}');
      for (const actor of ['no JSON', 'null', '{}', '{"role":"king"}'])
        command.run(`by ${actor}`, token, '{"kind":"interrupt","reason":"x"}', actor);
      database.prepare('INSERT INTO turn_progress VALUES (?, 1000, ?)').run(token, 'no JSON');
      const question = database.prepare(
        `INSERT INTO questions (id, conversation_key, session_id, turn_id, request, allowed, state, asked_at, expires_at)
         VALUES (?1, ?2, ?3, 't', ?1, 'null', 'open', 1, 9e9)`,
      );
      for (const request of ['no JSON', '{"kind":"approval"}'])
        question.run(request, conversation.key, conversation.sessionId);
    });
    expect(await remote?.steer('more', OWNER)).toBe('done');
    expect(turn.isRunning()).toBe(true);
    expect(await conversation.openQuestions()).toEqual([]);
    expect(await conversation.answer('no JSON', YES, OWNER)).toBe('not_found');
    expect((await here.services.store.readProgress(token, 0)).length).toBeGreaterThan(0);
    expect(await remote?.interrupt('enough', OWNER)).toBe('done');
    expect((await turn.result).interrupted).toBe(true);
  }, 15_000);
});
