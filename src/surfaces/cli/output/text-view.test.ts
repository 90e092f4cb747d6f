import { describe, expect, it } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { type AgentEvent, NO_COST, NO_USAGE, type RunResult } from '../../../base/index.ts';
import { createStyle } from '../style.ts';
import { createTextView } from './text-view.ts';

const resultWith = (changes: Partial<RunResult>): RunResult => ({
  finalResponse: '',
  lastReasoning: undefined,
  messages: [],
  usage: NO_USAGE,
  cost: NO_COST,
  apiCalls: 1,
  toolCalls: 0,
  sessionId: 's',
  taskId: 't',
  model: 'm',
  provider: 'p',
  exitReason: 'completed',
  completed: true,
  partial: false,
  interrupted: false,
  failed: false,
  durationMs: 1,
  ...changes,
});

function draw(events: AgentEvent[], finalResponse: string, live = false) {
  const [text, notes] = [createTextSink(), createTextSink()];
  const view = createTextView({ text, notes, style: createStyle(text, {}), live });
  for (const event of events) view.show(event);
  view.finish(resultWith({ finalResponse }));
  return { text: text.text, notes: notes.text };
}

const step: AgentEvent = { type: 'step-finished', apiCalls: 1, toolCalls: 0 };
const delta = (text: string): AgentEvent => ({ type: 'text-delta', text });

describe('createTextView', () => {
  it('shows an answer once, with one line break at its end', () => {
    for (const live of [true, false]) {
      expect(draw([delta('\n\nHel'), delta('lo'), step], 'Hello', live).text).toBe('Hello\n');
    }
  });

  it('shows a final text that was never streamed', () => {
    expect(draw([], '(empty)').text).toBe('(empty)\n');
    expect(draw([delta('I look.'), step], 'A summary.').text).toBe('I look.\nA summary.\n');
  });

  it('does not repeat an answer that came in several steps', () => {
    expect(draw([delta('one '), step, delta('two'), step], 'one two').text).toBe('one \ntwo\n');
  });

  it('takes back what was discarded, unless a person saw it already', () => {
    const events: AgentEvent[] = [
      delta('wrong'),
      { type: 'answer-discarded', reason: 'cut off' },
      delta('right'),
      step,
    ];
    expect(draw(events, 'right')).toEqual({ text: 'right\n', notes: '' });
    const live = draw(events, 'right', true);
    expect(live.text).toBe('wrong\nright\n');
    expect(live.notes).toContain('cut off');
  });

  it('gives each call a line', () => {
    const events: AgentEvent[] = [
      delta('Looking.'),
      { type: 'tool-started', callId: 'c', name: 'terminal', arguments: '{"command":"echo  hi\\u001b[2J"}' },
      { type: 'tool-finished', callId: 'c', name: 'terminal', status: 'ok', content: 'hi', durationMs: 120 },
      { type: 'tool-started', callId: 'd', name: 'x', arguments: 'not json' },
      { type: 'tool-finished', callId: 'd', name: 'x', status: 'denied', content: '', durationMs: 0 },
    ];
    expect(draw(events, '')).toEqual({
      text: 'Looking.\n',
      notes: '● terminal  echo hi  ✓ 0.1s\n● x  ✗ denied 0.0s\n',
    });
  });

  it('shows control characters of a model instead of obeying them', () => {
    expect(draw([delta('a\u001b[31mb\u0007c\r\n')], '').text).toBe('ab␇c\n');
  });
});
