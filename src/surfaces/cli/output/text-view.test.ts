import { describe, expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import type { AgentEvent } from '../../../base/index.ts';
import { createStyle } from '../style.ts';
import { createTextView } from './text-view.ts';

function draw(events: AgentEvent[], finalResponse: string, live = false, progress = true) {
  const [text, notes] = [createTextSink(), createTextSink()];
  const view = createTextView({ text, notes, style: createStyle(text, {}), progress, live });
  for (const event of events) view.show(event);
  view.finish(resultWith({ finalResponse }));
  return { text: text.text, notes: notes.text };
}

const step: AgentEvent = { type: 'step-finished', apiCalls: 1, toolCalls: 0 };
const delta = (text: string): AgentEvent => ({ type: 'text-delta', text });

describe('createTextView', () => {
  it('prints an answer once, with one line break at its end', () => {
    for (const live of [true, false]) {
      expect(draw([delta('\n\nHel'), delta('lo'), step], 'Hello', live).text).toBe('Hello\n');
    }
  });

  it('omits progress in a log, but never problems', () => {
    const events: AgentEvent[] = [
      { type: 'tool-finished', callId: 'a', name: 'terminal', status: 'ok', content: 'x', durationMs: 1 },
      { type: 'retry', kind: 'overloaded', message: 'busy', attempt: 1, waitMs: 1 },
      { type: 'warning', message: 'the disk is nearly full' },
      { type: 'fallback', from: 'a/b', to: 'c/d', reason: 'no key' },
    ];
    expect(draw(events, 'x').notes.split('\n')).toHaveLength(5);
    const { notes } = draw(events, 'x', false, false);
    expect(notes.split('\n')).toEqual([expect.stringContaining('nearly full'), expect.stringContaining('c/d'), '']);
  });

  it('prints reasoning and results on request', () => {
    const [text, notes] = [createTextSink(), createTextSink()];
    const style = createStyle(text, {});
    const view = createTextView({ text, notes, style, progress: true, details: true, live: true });
    const found = 'first line\u0007\nsecond line';
    const call: AgentEvent = { type: 'tool-started', callId: 'a', name: 'terminal', arguments: '{}' };
    view.show({ type: 'reasoning-delta', text: 'Let me ' });
    view.show({ type: 'reasoning-delta', text: 'look.\n\nThere.' });
    view.show(call);
    view.show({ type: 'tool-finished', callId: 'a', name: 'terminal', status: 'ok', content: found, durationMs: 1 });
    view.show({ type: 'reasoning-delta', text: 'I see.' });
    view.show(delta('Found it.'));
    const lines = notes.text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['~ Let me look.', '~ There.']);
    expect(lines.slice(3, 5).map((line) => line.trim())).toEqual(['first line␇', 'second line']);
    expect(lines.slice(-2)).toEqual(['~ I see.', '']);
    expect(draw([{ type: 'reasoning-delta', text: 'Hm.' }, delta('x')], 'x').notes).toBe('');
  });

  it('prints a final text that was never streamed', () => {
    expect(draw([], '(empty)').text).toBe('(empty)\n');
    expect(draw([delta('I look.'), step], 'A summary.').text).toBe('I look.\nA summary.\n');
  });

  it('prints notices for the model and process calls in one line each', () => {
    const call = { callId: 'c', name: 'process' };
    const events: AgentEvent[] = [
      { type: 'notified', text: 'It has ended.\nThe end of its output:\u001b[31m red' },
      { type: 'tool-started', ...call, arguments: '{"action":"kill","session_id":"proc_1"}' },
      { type: 'tool-finished', ...call, status: 'ok', content: '', durationMs: 1 },
    ];
    const { notes } = draw(events, 'ok');
    expect(notes).toMatch(/^· It has ended\. The end of its output:.*red\n● process {2}kill/);
    expect(notes).not.toContain('\u001b');
  });

  it('prints the activity of subagents below the call that started them', () => {
    const of = (task: number, event: Extract<AgentEvent, { type: 'subagent' }>['event']): AgentEvent => {
      return { type: 'subagent', callId: 'c', task, sessionId: `s${task}`, event };
    };
    // Both subagents use the same call id.
    const call = { callId: 'same', name: 'terminal' };
    const events: AgentEvent[] = [
      of(1, { type: 'tool-started', ...call, arguments: '{"command":"echo one"}' }),
      of(2, { type: 'tool-started', ...call, arguments: '{"command":"echo two"}' }),
      of(1, { type: 'tool-finished', ...call, status: 'ok', content: '', durationMs: 100 }),
      of(2, { type: 'tool-finished', ...call, status: 'error', content: '', durationMs: 100 }),
      of(2, { type: 'warning', message: 'odd' }),
      of(1, { type: 'ended', exitReason: 'completed', apiCalls: 1, toolCalls: 1, durationMs: 2000 }),
    ];
    expect(draw(events, 'ok').notes.split('\n')).toEqual([
      '  1 › ● terminal  echo one  ✓ 0.1s',
      '  2 › ● terminal  echo two  ✗ failed 0.1s',
      expect.stringMatching(/^ {2}2 › ! odd/),
      '  1 › completed after 2.0s',
      '',
    ]);
  });

  it('does not repeat an answer that was written in several steps', () => {
    expect(draw([delta('one '), step, delta('two'), step], 'one two').text).toBe('one \ntwo\n');
  });

  it('removes discarded text unless it was already printed', () => {
    const events: AgentEvent[] = [
      delta('wrong'),
      { type: 'answer-discarded', reason: 'cut off' },
      { type: 'thinking-started' },
      delta('right'),
      step,
    ];
    expect(draw(events, 'right')).toEqual({ text: 'right\n', notes: '' });
    const live = draw(events, 'right', true);
    expect(live.text).toBe('wrong\nright\n');
    expect(live.notes).toContain('cut off');
  });

  it('does not announce a rewrite that an interrupt prevented', () => {
    const events: AgentEvent[] = [delta('half'), { type: 'answer-discarded', reason: 'interrupted by the user' }];
    expect(draw(events, '', true)).toEqual({ text: 'half\n', notes: '' });
  });

  it('mentions the duration of a long wait', () => {
    const retry = (waitMs: number): AgentEvent => ({
      type: 'retry',
      kind: 'overloaded',
      message: 'busy',
      attempt: 1,
      waitMs,
    });
    expect(draw([retry(5_000), retry(30_000)], '').notes).toBe('… busy; retrying\n… busy; retrying in 30 s\n');
  });

  it('keeps the first part of an answer whose continuation was discarded', () => {
    const begin: AgentEvent = { type: 'thinking-started' };
    const events: AgentEvent[] = [
      begin,
      delta('The first half, '),
      begin,
      delta('the sec'),
      { type: 'answer-discarded', reason: 'cut off' } as const,
      begin,
      delta('the second half.'),
      step,
    ];
    const whole = 'The first half, the second half.';
    expect(draw(events, whole)).toEqual({ text: `${whole}\n`, notes: '' });
    expect(draw(events, whole, true).text).toBe('The first half, the sec\nthe second half.\n');
  });

  it('prints one line per call', () => {
    const events: AgentEvent[] = [
      delta('Looking.'),
      { type: 'tool-started', callId: 'c', name: 'terminal', arguments: '{"command":"echo  hi\\u001b[2J"}' },
      { type: 'tool-finished', callId: 'c', name: 'terminal', status: 'ok', content: 'hi', durationMs: 120 },
      { type: 'tool-started', callId: 'd', name: 'x', arguments: 'not json' },
      { type: 'tool-finished', callId: 'd', name: 'x', status: 'denied', content: '', durationMs: 0 },
    ];
    expect(draw(events, '')).toEqual({
      text: 'Looking.\n',
      notes: '● terminal  echo hi␛[2J  ✓ 0.1s  hi\n● x  ✗ denied 0.0s\n',
    });
  });

  it('escapes control characters of a model', () => {
    expect(draw([delta('a\u001b[31mb\u0007c\r\n')], '').text).toBe('ab␇c\n');
  });
});
