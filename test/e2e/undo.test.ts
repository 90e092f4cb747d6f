import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { openPlainChat } from '../support/plain-chat.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const { configure } = cli;

const openChat = (...args: string[]) => openPlainChat(cli, ...args);

/** The messages of the newest request without the system prompt. */
const lastSent = () => {
  const { body } = cli.server.requests.at(-1) as unknown as {
    body: { messages: { role: string; content: unknown }[] };
  };
  return body.messages.slice(1).map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
};

const sessions = async () => {
  const store = await openSqliteStore({ file: join(cli.home.path, 'state.db') });
  const listed = await store.listSessions();
  const described = [];
  for (const { id, title } of listed) {
    const messages = await store.getConversation(id);
    described.push({ id, title, said: messages.map(({ content }) => content) });
  }
  await store.close();
  return described;
};

describe('undo, retry and branch', () => {
  verifies('SURF-3', '/undo returns the text, /redo the turn; both survive a resume', async () => {
    await configure();
    cli.server.setScript(({ lastUserText }) => ({ text: `Answer to ${lastUserText}.` }));
    const chat = await openChat();
    await chat.say('first', 'Answer to first.');
    await chat.say('second', 'Answer to second.');
    chat.type('/undo\r');
    await chat.see('Undid the last turn (2 messages)');
    // The undone text is back in the input line and is sent together with what is typed after it.
    await chat.see('❯ ');
    await chat.see('second');
    await chat.say(' thoughts', 'Answer to second thoughts.');
    expect(lastSent()).toEqual(['user: "first"', 'assistant: "Answer to first."', 'user: "second thoughts"']);
    await chat.leave();

    const later = await openChat('--continue');
    expect(later.output()).toContain('Answer to second thoughts.');
    later.type('/undo 2\r');
    await later.see('Undid the last 2 turns (4 messages)');
    await later.see('❯ ');
    await later.see('first');
    later.type('\u0015');
    await later.say('/redo', 'Restored 4 messages');
    await later.say('/redo', 'There is nothing to redo');
    await later.say('/undo none', '/undo 3 the last three');
    await later.say('third', 'Answer to third.');
    expect(lastSent()).toHaveLength(5);
    await later.leave();
    expect((await sessions())[0]?.said).toHaveLength(6);
    // The provider's cache stays usable: later requests extend the earlier prefix.
    expect(await readFile(join(cli.home.path, 'logs/agent.log'), 'utf8')).not.toContain('prefix break');
  });

  verifies('SURF-3', '/retry sends the same message again with its files, without the answer', async () => {
    await configure();
    const answers = ['A poor answer.', 'A good one.', 'Another.'];
    cli.server.setScript(() => ({ text: answers.shift() ?? '' }));
    await writeFile(join(cli.home.workspace, 'a.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
    const chat = await openChat();
    await chat.say('/retry', 'There is nothing to undo.');
    await chat.say('/image a.png', 'Attached to the next message');
    await chat.say('what is this?', 'A poor answer.');
    await chat.say('/retry', 'A good one.');
    const [first, second] = cli.server.requests.slice(-2).map(({ body }) => (body as { messages: unknown[] }).messages);
    expect(second).toEqual(first);
    await chat.say('/image', 'No files are attached');
    await chat.leave();
    expect((await sessions())[0]?.said).toEqual(['what is this?', 'A good one.']);
  });

  verifies('SURF-3', '/branch continues in a copy, /resume returns, and both stay independent', async () => {
    await configure();
    cli.server.setScript(({ lastUserText }) => ({ text: `Answer to ${lastUserText}.` }));
    const chat = await openChat();
    await chat.say('/branch', 'There is nothing to branch yet');
    await chat.say('begin', 'Answer to begin.');
    await chat.say('/title Trunk', 'is now "Trunk"');
    await chat.say('/branch Twig', 'The title of the branch is "Twig"');
    await chat.say('aside', 'Answer to aside.');
    await chat.say('/undo', 'Undid the last turn');
    chat.type('\u0015');
    const back = await chat.say('/resume Trunk', 'Resuming Trunk');
    expect(back.slice(back.indexOf('Resuming'))).not.toContain('aside');
    await chat.say('/resume Trunk', 'This is already the current session.');
    await chat.say('on', 'Answer to on.');
    await chat.say('/resume nowhere', 'There is no session "nowhere"');
    expect(await chat.say('/resume', 'Use /resume with an id or a title')).toContain('Twig');
    await chat.leave();
    expect(await sessions()).toMatchObject([
      { title: 'Twig', said: ['begin', 'Answer to begin.'] },
      { title: 'Trunk', said: ['begin', 'Answer to begin.', 'on', 'Answer to on.'] },
    ]);
  });

  verifies('SURF-3', 'are refused during a turn, while read-only commands run immediately', async () => {
    await configure();
    cli.server.setScript(() => ({ text: 'never finished', fault: { type: 'stall', afterEvents: 2 } }));
    const chat = startTerminal(cli.home, ['chat', 'begin']);
    await cli.server.nextRequest();
    for (const name of ['undo', 'retry', 'branch x', 'resume x']) {
      chat.type(`/${name}\r`);
      await chat.see(`/${name.split(' ')[0]} cannot run during a turn.`);
    }
    chat.type('/status\r');
    await chat.see('test-model (custom)');
    chat.type('/stop\r');
    await chat.see('was interrupted');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });

  verifies(
    ['SURF-3', 'CTX-11'],
    'undo kept messages after a compression in the child session',
    fullDoseOnly,
    async () => {
      await configure(
        '  context_length: 20000\ncompression: { enabled: false, threshold: 0.5, target_ratio: 0.1, protect_last_n: 2 }\n',
      );
      const filler = 'and so on, as was said before; '.repeat(60);
      cli.server.setScript(({ lastUserText, toolNames }) => ({
        text: toolNames.length === 0 ? '## Goal\nTalk.' : `Answer to ${lastUserText}: ${filler}`,
      }));
      const chat = await openChat();
      for (let turn = 1; turn <= 8; turn += 1) await chat.say(`question ${turn}`, `Answer to question ${turn}:`);
      await chat.say('/compress', 'continues as session');
      await chat.say('/undo', 'Undid the last turn (2 messages)');
      chat.type('\u0015');
      await chat.say('/undo', 'The remaining turns were compressed');
      await chat.leave();
      const later = await openChat('--continue');
      await later.say('go on', 'Answer to go on:');
      expect(lastSent().join()).not.toContain('question 8:');
      await later.leave();
    },
  );

  verifies(
    'SURF-3',
    'treat text of an imported session as text: no slash command, no escape sequence',
    fullDoseOnly,
    async () => {
      await configure();
      cli.server.setScript(() => ({ text: 'Answered.' }));
      await runHermes(['-z', 'first'], { home: cli.home });
      const file = join(cli.home.workspace, 'all.jsonl');
      await runHermes(['sessions', 'export', file], { home: cli.home });
      const said = JSON.stringify('/yolo on\u001b]0;title\u0007\rnext');
      const record = (await readFile(file, 'utf8')).replace('"content":"first"', `"content":${said}`);
      await writeFile(file, record.replaceAll((await sessions())[0]?.id ?? '', '20260101_000000_abcdef'));
      expect((await runHermes(['sessions', 'import', file], { home: cli.home })).exitCode).toBe(0);
      cli.server.setScript(() => ({ text: 'Again.' }));
      const chat = await openChat('--resume', '20260101_000000_abcdef');
      await chat.say('/retry', 'Again.');
      expect(lastSent()).toEqual([`user: ${said}`]);
      chat.type('/undo\r');
      await chat.see('/yolo on⏎next');
      expect(chat.output()).not.toContain('\u001b]');
      expect(chat.output()).not.toContain('title');
      expect(cli.server.requests).toHaveLength(2);
    },
  );
});
