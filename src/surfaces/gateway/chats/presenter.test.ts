import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ChatDisplay } from '../../../config/gateway/index.ts';
import { ChannelError, type ChannelFacts } from '../../../contracts/index.ts';
import { openGateway, RULES } from '../../../../test/support/gateway-fixture.ts';

const STREAMING = { transport: 'auto', editIntervalMs: 20, bufferThreshold: 5, cursor: ' ▉' } as const;

/** A gateway whose chats show this of a turn. */
function open(display: Partial<ChatDisplay>, facts: Partial<ChannelFacts> = {}) {
  return openGateway({ displayOf: () => ({ ...RULES.displayOf('test'), ...display }) }, { facts });
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const slowly = (text: string) => ({ text, chunkSize: 10, delayMs: 15 });
const eventually = (check: () => void) => vi.waitFor(check, 8000);

describe('an answer while it is written', () => {
  verifies(['GW-6', 'GW-31'], 'is shown in one message that is edited, and becomes the answer', async () => {
    const { server, start } = await open({ streaming: STREAMING });
    server.setScript(() => slowly(words(40)));
    const chat = await start();
    await chat.say('tell me');
    await eventually(() => expect(chat.shown()).toEqual([words(40)]));
    expect(chat.sent).toHaveLength(1);
    expect(chat.sent[0]?.content?.text).toMatch(/^word0.* ▉$/);
    expect(chat.calls.filter((call) => call === 'edit').length).toBeGreaterThan(2);
  });

  verifies('GW-31', 'is shown as a draft in direct messages, where the platform has them', async () => {
    const { server, start } = await open({ streaming: STREAMING }, { streaming: 'draft' });
    server.setScript(() => slowly(words(40)));
    const chat = await start();
    await chat.say('tell me');
    await eventually(() => expect(chat.shown()).toEqual([words(40)]));
    expect(chat.drafts.length).toBeGreaterThan(1);
    expect(chat.drafts.at(-1)).toMatch(/^word0 word1/);
    expect(chat.calls).not.toContain('edit');
    await chat.say('and in the group', { chatType: 'group', chatId: '-1' });
    await eventually(() => expect(chat.shown()).toHaveLength(2));
    await eventually(() => expect(chat.shown()[1]).toBe(words(40)));
    expect(chat.calls).toContain('edit');
  });

  verifies('GW-31', 'is not shown on a platform without edits', async () => {
    const { server, start } = await open({ streaming: STREAMING }, { streaming: 'none' });
    server.setScript(() => slowly(words(20)));
    const chat = await start();
    await chat.say('tell me');
    await eventually(() => expect(chat.texts()).toEqual([words(20)]));
    expect(chat.calls).not.toContain('edit');
  });

  describe('on a platform with streams', () => {
    const thread = { chatType: 'thread', chatId: '-1', threadId: '9' } as const;

    verifies(['GW-6', 'GW-31'], 'grows in a thread, and the outbox completes it', async () => {
      const { server, start } = await open({ streaming: STREAMING }, { streaming: 'stream' });
      server.setScript(() => slowly(words(40)));
      const chat = await start();
      await chat.say('tell me', thread);
      await eventually(() => expect(chat.calls).toContain('edit'));
      expect(chat.shown()).toEqual([words(40)]);
      expect(chat.calls.filter((call) => call === 'append').length).toBeGreaterThan(2);
      expect(chat.calls).toContain('start for 7');
      expect([chat.sent, [...chat.growing]]).toEqual([[], []]);
      await chat.say('and here');
      await eventually(() => expect(chat.shown()).toEqual([words(40), words(40)]));
      expect(chat.calls.filter((call) => call.startsWith('start'))).toHaveLength(1);
    });

    verifies('GW-31', 'is shown by edits after the platform has refused or ended the stream', async () => {
      const { server, start } = await open({ streaming: STREAMING }, { streaming: 'stream' });
      server.setScript(() => slowly(words(40)));
      const chat = await start();
      let calls = 0;
      for (const [answered, refused] of [1, 3].entries()) {
        calls = 0;
        chat.failStreamsWith(() => {
          calls += 1;
          if (calls === refused) throw new ChannelError('not_found', 'no stream');
        });
        await chat.say('tell me', thread);
        await eventually(() => expect(chat.shown()).toEqual(Array.from({ length: answered + 1 }, () => words(40))));
      }
      expect(calls).toBe(3);
      expect(chat.sent).toHaveLength(1);
    });

    it('is shown by edits if an answer does not continue what was streamed', async () => {
      const { server, start } = await open({ streaming: STREAMING }, { streaming: 'stream' });
      let count = 0;
      server.setScript(() => {
        count += 1;
        const fault = { type: 'cut', afterBytes: 1500 } as const;
        return count === 1 ? { ...slowly(words(30)), fault } : slowly(`Again: ${words(20)}`);
      });
      const chat = await start();
      await chat.say('tell me', thread);
      await eventually(() => expect(chat.shown()).toEqual([expect.stringContaining(words(20))]));
    });

    verifies('GW-8', 'stays as it is after an interrupt, and is complete', async () => {
      const { server, start } = await open({ streaming: STREAMING }, { streaming: 'stream' });
      server.setScript(() => ({ text: words(50), chunkSize: 10, fault: { type: 'stall', afterEvents: 8 } }));
      const chat = await start();
      await chat.say('tell me', thread);
      await eventually(() => expect(chat.shown()[0]).toMatch(/^word0.*word3/));
      expect(chat.growing.size).toBe(1);
      await chat.say('/stop', thread);
      await eventually(() => expect(chat.growing.size).toBe(0));
      expect(chat.shown()[0]).toMatch(/^word0.*word3/);
    });
  });

  verifies('GW-27', 'never contains a credential, not even a part of one', async () => {
    const { server, start } = await open({ streaming: STREAMING, toolProgress: 'verbose' });
    const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`;
    const call = { name: 'terminal', arguments: { command: `rm -rf build; echo ${secret}` } };
    server.setScript(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? slowly(`The key is ${secret}, and it works. ${words(10)}`)
        : { ...slowly(`I use ${secret} now.`), toolCalls: [call] },
    );
    const chat = await start();
    await chat.say('work');
    await chat.see('Allow this?');
    await chat.press('Deny');
    await eventually(() => expect(chat.shown().join('\n')).toContain('word9'));
    const all = [...chat.texts(), ...chat.shown(), ...chat.edited].join('\n');
    expect(all).toContain('The key is');
    expect(all).not.toContain(secret.slice(0, 14));
  });

  it('keeps the text before tool calls as a message of its own', async () => {
    const { server, start } = await open({ streaming: STREAMING });
    const call = { name: 'todo', arguments: {} };
    server.setScript(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? slowly(words(20))
        : { ...slowly('First I look at the list.'), toolCalls: [call] },
    );
    const chat = await start();
    await chat.say('work');
    await eventually(() => expect(chat.shown()).toEqual(['First I look at the list.', words(20)]));
    expect(chat.sent).toHaveLength(2);
  });

  it('is sent again if a user has deleted the message, and stops to be shown after failed edits', async () => {
    const { server, start } = await open({ streaming: STREAMING });
    server.setScript(() => slowly(words(30)));
    const chat = await start();
    chat.failEditsWith(() => {
      throw new ChannelError('not_found', 'the message was deleted');
    });
    await chat.say('tell me');
    await eventually(() => expect(chat.texts().at(-1)).toBe(words(30)));
    expect(chat.sent).toHaveLength(2);
    // One edit failed while the answer was written, and the one that should have completed it.
    expect(chat.calls.filter((name) => name === 'edit')).toHaveLength(2);
  });

  verifies('GW-29', 'is shown less often after rate limits, and completed when the platform allows it', async () => {
    const { server, start } = await open({ streaming: STREAMING });
    server.setScript(() => slowly(words(30)));
    const chat = await start();
    let failures = 0;
    chat.failEditsWith(() => {
      failures += 1;
      if (failures < 3) throw new ChannelError('rate_limited', 'slow down', { retryAfterMs: 100 });
    });
    await chat.say('tell me');
    await eventually(() => expect(chat.shown()).toEqual([words(30)]));
  });

  verifies('GW-8', 'stays as it is after an interrupt, without the cursor', async () => {
    const { server, start } = await open({ streaming: STREAMING });
    server.setScript(() => ({ text: words(50), chunkSize: 10, fault: { type: 'stall', afterEvents: 8 } }));
    const chat = await start();
    await chat.say('tell me');
    await eventually(() => expect(chat.shown()[0]).toMatch(/^word0.*word3/));
    await chat.say('/stop');
    await eventually(() => expect(chat.shown()[0]).toMatch(/wo?r?d?\d*$/));
    await eventually(() => expect(chat.gateway.working).toBe(0));
    expect(chat.shown()).toHaveLength(2);
  });
});

describe('the progress of a turn', () => {
  const terminal = (command: string) => ({ name: 'terminal', arguments: { command } });

  async function run(display: Partial<ChatDisplay>, calls: readonly { name: string; arguments: object }[]) {
    const { server, start } = await open(display);
    server.setScript(({ messages }) => {
      const call = calls[messages.filter(({ role }) => role === 'tool').length];
      return call === undefined ? { text: 'Done.' } : { toolCalls: [call as ReturnType<typeof terminal>] };
    });
    const chat = await start();
    await chat.say('work');
    await eventually(() => expect(chat.shown()).toContain('Done.'));
    return chat;
  }

  it('is one message with a line for each call', async () => {
    const calls = [terminal('echo one'), terminal('echo one'), terminal('sleep 1.7'), terminal('echo two')];
    const chat = await run({ toolProgress: 'all' }, calls);
    const [progress, answer] = chat.shown();
    expect(answer).toBe('Done.');
    expect(progress).toMatch(/^💻 terminal: `echo one` \(×2\) {2}\n💻 terminal: `sleep 1.7`/);
    expect(chat.sent).toHaveLength(2);
    expect(chat.calls).toContain('edit');
  }, 15_000);

  it('can be switched off, and be removed after the answer', async () => {
    expect((await run({ toolProgress: 'off' }, [terminal('echo one')])).sent).toHaveLength(1);
    const removed = await run({ toolProgress: 'all', cleanupProgress: true }, [terminal('echo one')]);
    await eventually(() => expect(removed.shown()).toEqual(['Done.']));
    expect(removed.sent).toHaveLength(2);
  });

  it('shows the reasoning and reactions if they are enabled', async () => {
    const { server, start } = await open({ showReasoning: true, reactions: true });
    server.setScript(() => ({
      text: 'Yes.',
      reasoning: Array.from({ length: 20 }, (_, line) => `step ${line}`).join('\n'),
    }));
    const chat = await start();
    await chat.say('is it?');
    await eventually(() => expect(chat.shown()).toHaveLength(1));
    expect(chat.shown()[0]).toMatch(/^💭 \*\*Reasoning:\*\*\n```\nstep 0\n.*step 14\n… 5 more lines\n```\n\nYes\.$/s);
    await eventually(() => expect(chat.reactions).toEqual(['👀', '✅']));
    server.setScript(() => ({ fault: { type: 'status', status: 400 } }));
    await chat.say('and now?');
    await eventually(() => expect(chat.reactions).toEqual(['👀', '✅', '👀', '❌']));
  });
});

describe('a question in a chat', () => {
  const APPROVE = { name: 'terminal', arguments: { command: 'rm -rf build' } };

  async function ask(display: Partial<ChatDisplay> = {}, facts: Partial<ChannelFacts> = {}) {
    const { home, server, start } = await open(display, facts);
    await home.write('workspace/build/old.o', 'x');
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [APPROVE] };
    });
    const chat = await start();
    await chat.say('clean up');
    await chat.see('Allow this?');
    return { ...chat, start };
  }

  verifies('APPR-3', 'says who decided, and has no buttons any more', async () => {
    const chat = await ask();
    expect([...chat.visible.values()][0]?.buttons).toBe(4);
    await chat.press('Deny', { userName: 'Ada *the* [first]' });
    await chat.see('Result:');
    await eventually(() => expect(chat.shown()[0]).toMatch(/rm -rf build.*❌ Denied by Ada the first$/s));
    expect([...chat.visible.values()][0]?.buttons).toBe(0);
  });

  verifies('APPR-3', 'is answered with commands where there are no buttons, and a denial has a reason', async () => {
    const chat = await ask({}, { hasButtons: false });
    expect(chat.texts()[0]).toContain('Reply `/approve` to allow it once');
    await chat.say('/deny it is still needed');
    await chat.see(/Result: .*The user's reason: .*it is still needed/s);
    await chat.see('Denied.');
    await eventually(() => expect(chat.shown()[0]).toMatch(/❌ Denied by test:7: it is still needed$/));
    await chat.say('/approve');
    await chat.see('Nothing is waiting for approval.');
  });

  verifies('APPR-3', 'is denied if nobody answers in time, which the chat sees, and the turn continues', async () => {
    const chat = await ask({ answerSeconds: 0.3 });
    await chat.see('Result: ');
    const outcome = '⌛ Nobody answered within 1 s, so the call was denied';
    await eventually(() => expect(chat.shown()[0]).toContain(outcome));
    await chat.press('Allow once');
    await eventually(() => expect(chat.acknowledged).toEqual(['This question is no longer open.']));
    expect(chat.sent).toHaveLength(2);
    const mail = await ask({ answerSeconds: 0.3 }, { streaming: 'none', hasButtons: false });
    await mail.see('Result: ');
    await eventually(() => expect(mail.texts()).toContain(outcome));
  });

  verifies('GW-23', 'is answered by an admin with a command in a group, and not by others or elsewhere', async () => {
    const { server, start } = await open({});
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [APPROVE] };
    });
    const chat = await start();
    const group = { chatType: 'group' as const, chatId: '-1' };
    await chat.say('clean up', { ...group, userId: '8' });
    await chat.see('Allow this?');
    await chat.say('/approve', { ...group, userId: '8' });
    await chat.see('Only an admin may answer this.');
    await chat.press('Allow once', { chatId: '7', userId: '7' });
    await eventually(() => expect(chat.acknowledged).toEqual(['This question no longer exists.']));
    await chat.say('/approve', { chatId: '7', userId: '7' });
    await chat.see('Nothing is waiting for approval.');
    await chat.say('/approve session', { ...group, userId: '7' });
    await chat.see(/Result: (?!.*Not allowed)/);
    await eventually(() => expect(chat.shown()[0]).toMatch(/✅ Allowed for this session by test:7$/));
  });

  verifies('APPR-3', 'is asked again after a restart', async () => {
    const first = await ask();
    await first.close(10);
    const second = await first.start();
    await second.see('Allow this?');
    await second.press('Allow once');
    await second.see(/Result: (?!.*Not allowed)/);
  });

  verifies('GW-2', 'is answered while the gateway closes, and the answer of the turn is sent', async () => {
    const chat = await ask();
    const closing = chat.close(8000);
    await chat.press('Allow once');
    await closing;
    expect(chat.texts().at(-1)).toMatch(/Result: (?!.*Not allowed)/);
  });

  async function openChoices() {
    const { server, start } = await open({}, { hasButtons: false });
    const call = { name: 'clarify', arguments: { question: 'Which one?', choices: ['red', 'blue'] } };
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [call] };
    });
    const chat = await start();
    await chat.say('paint it');
    await chat.see(/1\. red\n2\. blue\n\nReply with a number/);
    return chat;
  }

  it('with choices is answered with a number, but not by text of others', async () => {
    const chat = await openChoices();
    await chat.forward('1', 'Mallory');
    await chat.say('2');
    await chat.see(/Result: .*blue/);
    await eventually(() => expect(chat.shown()[0]).toMatch(/✅ Answered by test:7: blue$/));
  });

  it('with choices is answered in words', async () => {
    const chat = await openChoices();
    await chat.say('green, please');
    await chat.see(/Result: .*green, please/);
    await eventually(() => expect(chat.shown()[0]).toMatch(/✅ Answered by test:7: green, please$/));
  });
});

verifies('GW-2', 'sends an answer that is finished while the gateway closes', async () => {
  const { server, start } = await open({});
  const gate = Promise.withResolvers<void>();
  server.setScript(async () => {
    await gate.promise;
    return { text: 'Here it is.' };
  });
  const chat = await start();
  let failures = 0;
  chat.answerWith(() => {
    failures += 1;
    if (failures === 1) throw new ChannelError('rate_limited', 'slow down', { retryAfterMs: 500 });
    return { id: 'm' };
  });
  await chat.say('work');
  await server.nextRequest();
  const closing = chat.close(8000);
  gate.resolve();
  await closing;
  expect(chat.texts()).toEqual(['Here it is.', 'Here it is.']);
  expect(chat.shown()).toEqual(['Here it is.']);
});
