import { describe, expect } from 'vitest';
import { createAnswerStream, createTheme } from '../../src/surfaces/cli/render/index.ts';
import { verifies } from '../spec/verifies.ts';
import { type Chat, openChat } from '../support/chat.ts';
import { isReady } from '../support/pty/chat-state.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { linesPerFrame } from '../support/pty/frames.ts';
import { sampleAnswer } from '../support/sample-answers.ts';

const cli = useCliFixture();
const WIDTH = 72;
const SIZE = { columns: WIDTH, rows: 24 };
const CHUNKS = [1, 3, 7, 16, 40, 200];
const ANSWERS = dose(15, 200);
const NOT_CLEARED = { screen: 0, scrollback: 0, alternate: 0 };

/** The lines of an answer that arrived in one part. */
function rendered(text: string, width = WIDTH): string[] {
  const answer = createAnswerStream(createTheme({ colours: 'none' }));
  answer.push(text);
  answer.end();
  return withoutBlankEnds(answer.takeFinished(width).map((line) => line.trimEnd()));
}

/** The lines between a question and whatever follows its answer. */
function answerTo(question: string, lines: readonly string[]): string[] {
  const start = lines.indexOf(`❯ ${question}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('❯'));
  return withoutBlankEnds(rest.slice(0, end));
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const isText = (line: string) => line !== '';
  return lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1);
}

async function openReady(script: Parameters<typeof cli.server.setScript>[0], size = SIZE): Promise<Chat> {
  await cli.configure();
  cli.server.setScript(script);
  const chat = await openChat(cli, size);
  await chat.ready();
  return chat;
}

describe('answers on the screen', () => {
  verifies(
    'SURF-1',
    `${ANSWERS} streamed answers are exact in the scrollback, however they were chunked`,
    async () => {
      const chat = await openReady(({ lastUserText }) => {
        const number = Number(lastUserText.split(' ')[1]);
        return { text: sampleAnswer(number), chunkSize: CHUNKS[number % CHUNKS.length] };
      });
      for (let number = 1; number <= ANSWERS; number++) {
        await chat.ask(`question ${number}`, `End of answer ${number}.`);
      }
      // One more question, so that the last one is followed by a question like all others.
      chat.send('over');
      await chat.until((screen) => screen.some((line) => line.startsWith('❯ over')));
      const lines = chat.scrollback();
      for (let number = 1; number <= ANSWERS; number++) {
        expect(answerTo(`question ${number}`, lines)).toEqual(rendered(sampleAnswer(number)));
      }
      expect(chat.emulator.clears).toEqual(NOT_CLEARED);
    },
    // Two hundred turns take a while on a busy machine.
    120_000,
  );

  verifies(
    'SURF-1',
    'a long answer does not flicker: nothing is cleared, and few lines are redrawn',
    fullDoseOnly,
    async () => {
      const text = Array.from({ length: 40 }, (_, index) => sampleAnswer(index + 300)).join('\n\n');
      const chat = await openReady(({ lastUserText }) =>
        lastUserText === 'hello' ? { text: 'Hi.' } : { text, chunkSize: 20, delayMs: 1 },
      );
      await chat.ask('hello', 'Hi.');
      const before = chat.scrollback().slice(0, chat.scrollback().indexOf('Hi.'));
      const from = chat.bytes().length;
      const startedAt = performance.now();
      await chat.ask('tell me all', 'End of answer 339.');
      const seconds = (performance.now() - startedAt) / 1000;
      const frames = linesPerFrame(chat.bytes().slice(from));
      expect(chat.emulator.clears).toEqual(NOT_CLEARED);
      expect(chat.scrollback().slice(0, before.length)).toEqual(before);
      // At most about thirty frames per second, fewer on a slow machine.
      expect(frames.length).toBeLessThan(40 * seconds + 10);
      // Each committed line is drawn a few times while it grows; a frame also has the status line and the end of the
      // answer.
      const drawn = frames.reduce((sum, lines) => sum + lines, 0);
      expect(drawn).toBeLessThan(2 * rendered(text).length + 6 * frames.length);
      expect(Math.max(...frames)).toBeLessThan(rendered(text).length);
    },
  );

  verifies('SURF-1', 'ten thousand lines cost as much at the end as at the start', fullDoseOnly, async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1} of the listing`);
    const chat = await openReady(() => ({
      text: `\`\`\`\n${lines.join('\n')}\n\`\`\`\n\nThat was all.`,
      chunkSize: 500,
    }));
    await chat.ask('list them', 'That was all.');
    const shown = chat.scrollback().filter((line) => line.includes('of the listing'));
    expect(shown.map((line) => line.trim())).toEqual(lines);
    // The bytes written per thousand lines measure the work independently of the machine.
    const bytes = chat.bytes();
    const at = (line: number) => bytes.indexOf(`line ${line} of`);
    expect(at(10_000) - at(9_000)).toBeLessThan(1.5 * (at(2_000) - at(1_000)) + 20_000);
  });

  verifies('SURF-1', 'wide characters wrap at the edge of the window, at every width', fullDoseOnly, async () => {
    const text =
      '宽字符一直写到窗口的边缘然后换行。Ａａ混排 mixed 字 and 😀😀😀 at the end.\n\n- 列表里的字也一样要换行\n\n完了';
    for (const columns of [20, 21, 22, 23]) {
      const chat = await openReady(() => ({ text, chunkSize: 1 }), { columns, rows: 16 });
      await chat.ask('宽', '完了');
      const lines = chat.scrollback();
      const answer = lines.slice(
        lines.indexOf('❯ 宽') + 1,
        lines.findLastIndex((line) => line.startsWith('❯')),
      );
      expect(withoutBlankEnds(answer).slice(0, rendered(text, columns).length)).toEqual(rendered(text, columns));
      expect(chat.screen().every((line) => line.length <= columns)).toBe(true);
      expect(isReady(chat.screen())).toBe(true);
    }
  });

  verifies('SURF-1', 'escape sequences of a model or a command are shown and not executed', async () => {
    const evil = '\u001b[2J\u001b[3J\u001b]0;taken over\u0007\u001b[?1049h\u001bc';
    const command = `printf '${evil.replaceAll('\u001b', '\\033').replaceAll('\u0007', '\\007')}shown\\n'`;
    const chat = await openReady(({ toolResults }) =>
      toolResults.length === 0
        ? { text: `Before${evil}.`, toolCalls: [{ name: 'terminal', arguments: { command } }] }
        : { text: `After${evil}.\n\n\`\`\`sh\necho ${evil}\n\`\`\`\n\nThe end.` },
    );
    const titles: string[] = [];
    chat.emulator.terminal.onTitleChange((title) => titles.push(title));
    await chat.ask('go on', 'The end.');
    chat.press('ctrl-o');
    await chat.until((screen) => screen.some((line) => line.trim() === 'shown'));
    expect(titles).toEqual([]);
    expect(chat.emulator.clears).toEqual(NOT_CLEARED);
    expect(chat.scrollback()[0]).toMatch(/^Hermes /);
  });
});
