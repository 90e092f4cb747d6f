import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import {
  addReasoning,
  addText,
  filterThinking,
  finishText,
  finishThinking,
  NO_ANSWER_TEXT,
  reasoningOf,
  THINK_FILTER_START,
  type ThinkSegment,
} from './split-reasoning.ts';

function run(chunks: readonly string[]): { text: string; reasoning: string } {
  let state = THINK_FILTER_START;
  const pieces: ThinkSegment[] = [];
  for (const chunk of chunks) {
    const [next, found] = filterThinking(state, chunk);
    state = next;
    pieces.push(...found);
  }
  pieces.push(...finishThinking(state));
  const of = (kind: string) => pieces.filter((piece) => piece.kind === kind).map((piece) => piece.text);
  return { text: of('text').join(''), reasoning: of('reasoning').join('') };
}

const TAG = /<\/?(think|thinking|reasoning|reasoning_scratchpad)>/i;
const FRAGMENTS = [
  '<',
  '<thi',
  'nk>',
  '<think>',
  '</think>',
  '<Thinking>',
  '</THINKING>',
  '<reasoning>',
  '</reasoning>',
];
const MORE = [
  '<REASONING_SCRATCHPAD>',
  '</REASONING_SCRATCHPAD>',
  '/',
  'th',
  'ink',
  '>',
  ' ',
  '\n',
  '<b>',
  'x',
  '思',
  '👩‍🚀',
];
const noise = fc.array(fc.constantFrom(...FRAGMENTS, ...MORE), { maxLength: 14 }).map((parts) => parts.join(''));

describe('the think filter', () => {
  it.each(['think', 'thinking', 'reasoning', 'REASONING_SCRATCHPAD', 'Think'])(
    'separates <%s> from the text',
    (name) => {
      expect(run([`<${name}>why</${name}>\n\nbecause`])).toEqual({ text: 'because', reasoning: 'why' });
    },
  );

  it('keeps other tags, and separates reasoning between the lines of a text', () => {
    expect(run(['<b>a</b>\n <think>t<thinking>u</think>\nc < d'])).toEqual({
      text: '<b>a</b>\n \nc < d',
      reasoning: 'tu',
    });
  });

  it('keeps a tag that the text mentions, and everything after it', () => {
    for (const text of [
      'Wrap it in a `<think>` tag, then write the rest.\nAnd a second line.',
      'Put it between <think> and </think>, as in <Reasoning>x</Reasoning>.',
      'First a line.\n<think> is the tag that opens it, and nothing closes it here.',
      'First a line.\n<think>a <thi',
    ]) {
      expect(run([text])).toEqual({ text, reasoning: '' });
      expect(run([...text])).toEqual({ text, reasoning: '' });
    }
  });

  it('drops an unmatched closing tag, and keeps the start of a tag that is never completed', () => {
    expect(run(['a</think>b'])).toEqual({ text: 'ab', reasoning: '' });
    expect(run(['a <thi'])).toEqual({ text: 'a <thi', reasoning: '' });
  });

  it('treats an unclosed block as reasoning', () => {
    expect(run(['<think>on and on'])).toEqual({ text: '', reasoning: 'on and on' });
  });

  const blanks = fc.constantFrom('', ' ', '\n', '\n\n  ');
  const words = fc.array(fc.constantFrom('a', 'b c', '<b>', '\n', '<', 'think>', '思'), { maxLength: 6 });

  verifies('CALL-9', 'never puts a reasoning block at the start of the response or of a line into the text', () => {
    const lines = fc.oneof(
      blanks,
      fc.tuple(words, blanks).map(([before, gap]) => `${before.join(' ')}\n${gap}`),
    );
    const name = fc.constantFrom('think', 'Thinking', 'reasoning', 'REASONING_SCRATCHPAD');
    fc.assert(
      fc.property(lines, name, words, words, (before, tag, thought, after) => {
        const result = run([`${before}<${tag}>${thought.join(' ')}</${tag}>${after.join(' ')}`]);
        expect(result.reasoning).toBe(thought.join(' '));
        expect(result.text.trim()).toBe(`${before}${after.join(' ')}`.trim());
        expect(result.text).not.toMatch(TAG);
      }),
      { numRuns: 1000 },
    );
  });

  verifies('CALL-9', 'gives the same result however the stream is split', () => {
    fc.assert(
      fc.property(noise, fc.array(fc.nat(60), { maxLength: 12 }), (source, cuts) => {
        const whole = run([source]);
        expect(run([...source])).toEqual(whole);
        expect(run(source.split(''))).toEqual(whole);
        const places = [0, ...cuts.filter((at) => at < source.length).sort((a, b) => a - b), source.length];
        expect(run(places.map((at, index) => source.slice(at, places[index + 1])))).toEqual(whole);
      }),
      { numRuns: 3000 },
    );
  });

  verifies('CALL-9', 'prefers structured reasoning to reasoning in tags', () => {
    const [thinking] = addReasoning(NO_ANSWER_TEXT, 'structured');
    const [spoken, events] = addText(thinking, '<think>tagged</think>answer');
    const [whole] = finishText(spoken);
    expect(whole.text).toBe('answer');
    expect(reasoningOf(whole)).toBe('structured');
    expect(events).toEqual([{ type: 'text-delta', text: 'answer' }]);
  });
});
