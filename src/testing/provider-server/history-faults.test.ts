import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { API_MODES, type ApiMode } from '../../contracts/index.ts';
import { findHistoryFaults } from './history-faults.ts';

/** A history independent of the API mode; each test writes it once and checks it in all modes. */
type Entry =
  | { user: string }
  | { assistant: string; calls?: { id: string; name?: string; arguments?: string }[] }
  | { results: [id: string, content: string][] };

const WRITERS: Record<ApiMode, (entries: Entry[]) => JsonObject> = {
  chat_completions: (entries) => ({
    messages: [{ role: 'system', content: 'Be brief.' }, ...entries.flatMap(writeChat)],
  }),
  codex_responses: (entries) => ({ instructions: 'Be brief.', input: entries.flatMap(writeItems) }),
  anthropic_messages: (entries) => ({ system: 'Be brief.', messages: entries.map(writeAnthropic) }),
  ollama_chat: (entries) => ({
    messages: [{ role: 'system', content: 'Be brief.' }, ...entries.flatMap(writeOllama)],
  }),
};

function writeChat(entry: Entry): JsonObject[] {
  if ('user' in entry) return [{ role: 'user', content: entry.user }];
  if ('results' in entry) return entry.results.map(([id, content]) => ({ role: 'tool', tool_call_id: id, content }));
  const calls = (entry.calls ?? []).map(({ id, name = 'tool', arguments: text = '{}' }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  return [{ role: 'assistant', content: entry.assistant, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

function writeOllama(entry: Entry): JsonObject[] {
  if (!('assistant' in entry)) return writeChat(entry);
  const calls = (entry.calls ?? []).map(({ id, name = 'tool', arguments: text = '{}' }) => ({
    id,
    function: { name, arguments: parseOrText(text) },
  }));
  return [{ role: 'assistant', content: entry.assistant, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

function writeItems(entry: Entry): JsonObject[] {
  if ('user' in entry) return [{ type: 'message', role: 'user', content: entry.user }];
  if ('results' in entry) {
    return entry.results.map(([id, output]) => ({ type: 'function_call_output', call_id: id, output }));
  }
  const calls = (entry.calls ?? []).map(({ id, name = 'tool', arguments: text = '{}' }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: text,
  }));
  const silent = entry.assistant === '' && calls.length > 0;
  return [...(silent ? [] : [{ type: 'message', role: 'assistant', content: entry.assistant }]), ...calls];
}

function writeAnthropic(entry: Entry): JsonObject {
  if ('user' in entry) return { role: 'user', content: entry.user };
  if ('results' in entry) {
    const content = entry.results.map(([id, text]) => ({ type: 'tool_result', tool_use_id: id, content: text }));
    return { role: 'user', content };
  }
  const calls = (entry.calls ?? []).map(({ id, name = 'tool', arguments: text = '{}' }) => ({
    type: 'tool_use',
    id,
    name,
    input: parseOrText(text),
  }));
  const text = entry.assistant === '' ? [] : [{ type: 'text', text: entry.assistant }];
  return { role: 'assistant', content: [...text, ...calls] };
}

function parseOrText(text: string): JsonObject | string {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return text;
  }
}

const ASK: Entry = { user: 'do it' };
const CALL_A: Entry = { assistant: '', calls: [{ id: 'a' }] };
const RESULT_A: Entry = { results: [['a', 'done']] };
const SAY: Entry = { assistant: 'There.' };

describe.each(API_MODES)('findHistoryFaults in %s', (apiMode) => {
  const faultsOf = (entries: Entry[]) => findHistoryFaults(apiMode, WRITERS[apiMode](entries));

  const valid: [string, Entry[]][] = [
    ['one message', [ASK]],
    ['a finished exchange and a further question', [ASK, SAY, ASK]],
    ['a call and its result', [ASK, CALL_A, RESULT_A]],
    [
      'text with two calls, results in order',
      [
        ASK,
        { assistant: 'Both.', calls: [{ id: 'a', arguments: '{"x":[1]}' }, { id: 'b' }] },
        {
          results: [
            ['a', '1'],
            ['b', ''],
          ],
        },
        SAY,
      ],
    ],
    ['the same id again in a later message', [ASK, CALL_A, RESULT_A, CALL_A, RESULT_A, SAY]],
    ['whole surrogate pairs', [{ user: '😀' }]],
    ['an assistant message at the end, to be continued', [ASK, SAY]],
  ];

  it.each(valid)('accepts %s', (_name, entries) => {
    expect(faultsOf(entries)).toEqual([]);
  });

  const invalid: [string, Entry[], RegExp][] = [
    ['no messages', [], /no messages/],
    ['two user messages in a row', [ASK, ASK], /two user messages in a row/],
    ['two assistant messages in a row', [ASK, SAY, SAY], /two assistant messages in a row/],
    ['an assistant message first', [SAY, ASK], /first message must be a user message/],
    ['a result without a call', [ASK, SAY, ASK, SAY, RESULT_A], /result for "a" without a tool call/],
    [
      'a result that comes twice',
      [
        ASK,
        CALL_A,
        {
          results: [
            ['a', '1'],
            ['a', '2'],
          ],
        },
      ],
      /result for "a" without/,
    ],
    ['a call without result before text', [ASK, CALL_A, SAY], /call "a" has no result/],
    ['a call without result before a question', [ASK, CALL_A, ASK], /call "a" has no result/],
    ['a call without result at the end', [ASK, CALL_A], /the end: tool call "a" has no result/],
    [
      'a call that only its neighbour answers',
      [ASK, { assistant: '', calls: [{ id: 'a' }, { id: 'b' }] }, RESULT_A, SAY],
      /call "b" has no result/,
    ],
    [
      'results out of order',
      [
        ASK,
        { assistant: '', calls: [{ id: 'a' }, { id: 'b' }] },
        {
          results: [
            ['b', '2'],
            ['a', '1'],
          ],
        },
      ],
      /"b" is not in call order/,
    ],
    [
      'arguments that are not JSON',
      [ASK, { assistant: '', calls: [{ id: 'a', arguments: '{"x":' }] }, RESULT_A],
      /arguments of tool call "a"/,
    ],
    [
      'arguments that are a list',
      [ASK, { assistant: '', calls: [{ id: 'a', arguments: '[1]' }] }, RESULT_A],
      /arguments of tool call "a"/,
    ],
    [
      'arguments that are empty',
      [ASK, { assistant: '', calls: [{ id: 'a', arguments: '' }] }, RESULT_A],
      /arguments of tool call "a"/,
    ],
    [
      'one id for two calls',
      [
        ASK,
        { assistant: '', calls: [{ id: 'a' }, { id: 'a' }] },
        {
          results: [
            ['a', '1'],
            ['a', '2'],
          ],
        },
      ],
      /two tool calls have the id "a"/,
    ],
    ['a call without id', [ASK, { assistant: '', calls: [{ id: '' }] }, { results: [['', '1']] }], /has no id/],
    ['a call without name', [ASK, { assistant: '', calls: [{ id: 'a', name: '' }] }, RESULT_A], /has no name/],
    ['an empty question', [{ user: '' }], /is empty/],
    ['a blank question', [{ user: ' \n' }], /is empty/],
    ['an empty answer', [ASK, { assistant: '' }, ASK], /is empty/],
    ['half a surrogate pair in a question', [{ user: 'a\ud83d' }], /half a surrogate pair/],
    ['half a surrogate pair in a result', [ASK, CALL_A, { results: [['a', '\ude00']] }], /half a surrogate pair/],
  ];

  it.each(invalid)('rejects %s', (_name, entries, words) => {
    expect(faultsOf(entries).join('\n')).toMatch(words);
  });

  it('rejects unknown roles and keys with a lone surrogate', () => {
    const list = apiMode === 'codex_responses' ? 'input' : 'messages';
    const strange = { [list]: [{ role: 'robot', content: 'x' }], metadata: { 'a\ud83d': 1 } };
    const faults = findHistoryFaults(apiMode, strange).join('\n');
    expect(faults).toMatch(/unknown role "robot"/);
    expect(faults).toMatch(/metadata: a key has half/);
  });
});

describe('attachments', () => {
  const user = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
  it.each<[ApiMode, JsonObject, string[]]>([
    ['chat_completions', user({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } }), []],
    [
      'chat_completions',
      user({ type: 'file', file: { filename: 'a', file_data: 'data:text/html;base64,AAEC' } }),
      ['messages.0.content.0: the media type "text/html" is not taken for this part'],
    ],
    [
      'anthropic_messages',
      user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'no base64!' } }),
      ['messages.0.content.0: the data is not base64'],
    ],
    [
      'codex_responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/svg+xml;base64,AAEC' }] }] },
      ['input.0.content.0: the media type "image/svg+xml" is not taken for this part'],
    ],
    ['ollama_chat', { messages: [{ role: 'user', content: '', images: ['AAEC'] }] }, []],
    [
      'ollama_chat',
      { messages: [{ role: 'user', content: 'x', images: ['data:image/png;base64,AAEC'] }] },
      ['messages.0.images.0: the data is not base64'],
    ],
  ])('%s %#', (apiMode, body, faults) => {
    expect(findHistoryFaults(apiMode, body)).toEqual(faults);
  });
});

describe('rules of a single API mode', () => {
  it('chat completions: system messages come first, blank parts are rejected, reasoning counts as content', () => {
    const messages: JsonObject[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
        ],
      },
      { role: 'assistant', content: '', reasoning_content: 'hmm' },
      { role: 'system', content: 'late' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'y' },
        ],
      },
    ];
    expect(findHistoryFaults('chat_completions', { messages })).toEqual([
      'messages.2: a system message must come first',
      'messages.3.content.0: text content must not be blank',
    ]);
  });

  it('responses: reasoning precedes the item it led to', () => {
    const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' };
    const user = { role: 'user', content: 'x' };
    const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'y' }] };
    const faultsOf = (input: JsonObject[]) => findHistoryFaults('codex_responses', { input });
    expect(faultsOf([user, reasoning, text, user])).toEqual([]);
    expect(faultsOf([user, reasoning, user])).toEqual([expect.stringContaining('must be followed')]);
    expect(faultsOf([user, reasoning])).toEqual([expect.stringContaining('must be followed')]);
    expect(faultsOf([user, { type: 'reasoning', id: 'rs' }, text])).toEqual([expect.stringContaining('summary list')]);
    expect(faultsOf([user, { type: 'odd' }])).toEqual(['input.1: unknown item type "odd"']);
  });

  it('Anthropic: results and text share one user message, in that order', () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: {} }] };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'r' }] };
    const text = { type: 'text', text: 'and' };
    const faultsOf = (...more: JsonObject[]) =>
      findHistoryFaults('anthropic_messages', { messages: [{ role: 'user', content: 'x' }, call, ...more] });
    expect(faultsOf({ role: 'user', content: [result, text] })).toEqual([]);
    expect(faultsOf({ role: 'user', content: [text, result] })[0]).toContain('has no result before this');
    expect(faultsOf({ role: 'user', content: [result] }, { role: 'user', content: [text] })).toEqual([
      'messages.3: two user messages in a row',
    ]);
  });

  it('Anthropic: thinking has a signature and is never last; a prefill has no trailing whitespace', () => {
    const faultsOf = (...content: JsonObject[]) =>
      findHistoryFaults('anthropic_messages', {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content },
        ],
      });
    const thinking = { type: 'thinking', thinking: 'hmm', signature: 's' };
    expect(faultsOf(thinking, { type: 'text', text: 'y' })).toEqual([]);
    expect(faultsOf({ type: 'thinking', thinking: 'hmm' }, { type: 'text', text: 'y' })[0]).toContain('signature');
    expect(faultsOf(thinking)[0]).toContain('must not be thinking');
    expect(faultsOf({ type: 'redacted_thinking', data: 'x' })[0]).toContain('must not be thinking');
    expect(faultsOf({ type: 'text', text: 'y ' })).toEqual(['messages.1: a prefill must not end in white space']);
  });
});
