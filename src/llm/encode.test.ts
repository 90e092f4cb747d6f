import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AssistantMessage, JsonObject, JsonValue, Message } from '../base/index.ts';
import { API_MODES, type ApiMode, type ModelRequest } from '../contracts/index.ts';
import { createModelClient } from './model-client.ts';
import type { ModelQuirks } from './model-quirks.ts';

const BASE = 'https://api.example.com/v1';

function clientOf(apiMode: ApiMode, quirks: ModelQuirks = {}) {
  return createModelClient({ apiMode, baseUrl: BASE, model: 'm', stallTimeoutMs: 1000, quirks });
}

function requestOf(messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be good.', messages, tools: [], toolChoice: 'auto', stream: true, ...extra };
}

function bodyOf(apiMode: ApiMode, request: ModelRequest, quirks: ModelQuirks = {}): JsonObject {
  return JSON.parse(clientOf(apiMode, quirks).prepare(request).body) as JsonObject;
}

const TOOL = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } };
const CALL = { id: 'call_1', name: 'read_file', arguments: '{"path": "a",  "n": 1.0, "big": 12345678901234567890}' };
const HISTORY: Message[] = [
  { role: 'user', content: 'shown', sentContent: 'shown and recalled' },
  { role: 'assistant', content: '', toolCalls: [CALL], finishReason: 'tool_calls', reasoning: 'hm' },
  { role: 'tool', toolCallId: 'call_1', toolName: 'read_file', content: 'text' },
  { role: 'assistant', content: 'Done.', finishReason: 'stop' },
  { role: 'user', content: 'more' },
];

describe('chat completions', () => {
  it('encodes a history', () => {
    const body = bodyOf(
      'chat_completions',
      requestOf(HISTORY, { tools: [TOOL], toolChoice: 'none', maxOutputTokens: 9 }),
    );
    expect(body).toEqual({
      model: 'm',
      max_tokens: 9,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: TOOL }],
      tool_choice: 'none',
      messages: [
        { role: 'system', content: 'Be good.' },
        { role: 'user', content: 'shown and recalled' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: CALL.arguments } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'text' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'more' },
      ],
    });
  });

  it('follows the quirks', () => {
    const quirks: ModelQuirks = {
      systemRole: 'developer',
      outputLimitParameter: 'max_completion_tokens',
      streamUsage: false,
    };
    const body = bodyOf('chat_completions', requestOf([], { maxOutputTokens: 5 }), quirks);
    expect(body).toEqual({
      model: 'm',
      max_completion_tokens: 5,
      stream: true,
      messages: [{ role: 'developer', content: 'Be good.' }],
    });
  });

  it('omits what is undefined', () => {
    const body = bodyOf('chat_completions', requestOf([], { system: '', stream: false, toolChoice: 'none' }));
    expect(body).toEqual({ model: 'm', messages: [] });
  });
});

describe('responses', () => {
  it('encodes a history', () => {
    const body = bodyOf(
      'codex_responses',
      requestOf(HISTORY, { tools: [TOOL], toolChoice: 'none', maxOutputTokens: 9 }),
    );
    expect(body).toEqual({
      model: 'm',
      max_output_tokens: 9,
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be good.',
      tools: [{ type: 'function', ...TOOL, strict: false }],
      tool_choice: 'none',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'shown and recalled' }] },
        { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: CALL.arguments },
        { type: 'function_call_output', call_id: 'call_1', output: 'text' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'more' }] },
      ],
    });
  });
});

describe('the Codex backend', () => {
  const quirks: ModelQuirks = { defaultInstructions: 'Help.', noOutputLimit: true, streamOnly: true };

  it('always gets instructions and a stream, and never an output limit', () => {
    const request = requestOf([], { system: '', stream: false, maxOutputTokens: 9, cacheKey: 'session-1' });
    expect(bodyOf('codex_responses', request, quirks)).toEqual({
      model: 'm',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'session-1',
      instructions: 'Help.',
      input: [],
    });
    expect(bodyOf('codex_responses', requestOf([]), quirks).instructions).toBe('Be good.');
    expect(clientOf('codex_responses', quirks).prepare(request).headers.accept).toBe('text/event-stream');
  });
});

describe('DeepSeek', () => {
  it('gets the reasoning of its calls back, and an empty field for calls without', () => {
    const quirks: ModelQuirks = { reasoningField: 'reasoning_content', reasoningRequired: true };
    const history: Message[] = [
      { role: 'assistant', content: '', toolCalls: [CALL], reasoning: 'hm' },
      { role: 'assistant', content: '', toolCalls: [CALL] },
      { role: 'assistant', content: 'Done.' },
    ];
    const sent = bodyOf('chat_completions', requestOf(history), quirks).messages as JsonObject[];
    expect(sent.slice(1).map((message) => message.reasoning_content)).toEqual(['hm', '', undefined]);
  });
});

describe('Anthropic messages', () => {
  it('encodes a history, with results and the following user message in one message', () => {
    const messages: Message[] = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'Two.',
        toolCalls: [
          { ...CALL, arguments: '{}' },
          { ...CALL, id: 'fn.b:1', arguments: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'call_1', toolName: 'read_file', content: 'one' },
      { role: 'tool', toolCallId: 'fn.b:1', toolName: 'read_file', content: '' },
      { role: 'user', content: 'and?' },
      { role: 'assistant', content: ' ' },
    ];
    const body = bodyOf('anthropic_messages', requestOf(messages, { tools: [TOOL], toolChoice: 'none' }));
    const id = expect.stringMatching(/^call_[0-9a-f]{24}$/) as unknown as string;
    expect(body).toEqual({
      model: 'm',
      max_tokens: 32_000,
      stream: true,
      tools: [{ name: 'read_file', description: 'Reads.', input_schema: TOOL.parameters }],
      tool_choice: { type: 'none' },
      system: [{ type: 'text', text: 'Be good.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Two.' },
            { type: 'tool_use', id: 'call_1', name: 'read_file', input: {} },
            { type: 'tool_use', id, name: 'read_file', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'one' }] },
            { type: 'tool_result', tool_use_id: id, content: [] },
            { type: 'text', text: 'and?' },
          ],
        },
      ],
    });
    const [, call, results] = body.messages as { content: { id?: string; tool_use_id?: string }[] }[];
    expect(call?.content[2]?.id).toBe(results?.content[1]?.tool_use_id);
  });

  verifies('CALL-7', 'always has an output limit, and a lower one if it was rejected', () => {
    const limit = (extra: Partial<ModelRequest>) => bodyOf('anthropic_messages', requestOf([], extra)).max_tokens;
    expect(limit({})).toBe(32_000);
    expect(limit({ maxOutputTokens: 64_000 })).toBe(64_000);
    const parameterChanges = [{ name: 'max_tokens' }];
    expect(limit({ maxOutputTokens: 99_000, parameterChanges })).toBe(8_192);
    expect(limit({ maxOutputTokens: 4_096, parameterChanges })).toBe(4_096);
  });
});

describe('provider-native fields', () => {
  const producerOf = (apiMode: ApiMode) => clientOf(apiMode).producer;
  const native = (apiMode: ApiMode, from: string | undefined): AssistantMessage => ({
    role: 'assistant',
    content: 'text',
    reasoning: 'thought',
    finishReason: 'tool_calls',
    reasoningDetails: [
      apiMode === 'anthropic_messages'
        ? { type: 'thinking', thinking: 't', signature: 's' }
        : { type: 'reasoning.text', text: 't', signature: 's' },
    ],
    codexReasoningItems: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'E' }],
    toolCalls: [{ ...CALL, itemId: 'fc_1', extraContent: { google: { thought_signature: 'T' } } }],
    ...(from && { producer: from }),
  });
  const bodyText = (apiMode: ApiMode, from: string | undefined, quirks?: ModelQuirks) =>
    clientOf(apiMode, quirks).prepare(requestOf([native(apiMode, from)])).body;

  const marks: Record<ApiMode, string[]> = {
    chat_completions: [
      '"reasoning_details":[{"type":"reasoning.text","text":"t","signature":"s"}]',
      '"extra_content":{"google"',
    ],
    codex_responses: ['{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"}', '"id":"fc_1"'],
    anthropic_messages: ['{"type":"thinking","thinking":"t","signature":"s"}'],
    ollama_chat: ['"thinking":"thought"'],
  };

  for (const apiMode of API_MODES) {
    verifies('REQ-3', `${apiMode}: are sent back unchanged, only to their producer`, () => {
      for (const marker of marks[apiMode]) {
        expect(bodyText(apiMode, producerOf(apiMode))).toContain(marker);
        expect(bodyText(apiMode, undefined)).toContain(marker);
        expect(bodyText(apiMode, `${apiMode} https://other.example.com`)).not.toContain(marker);
      }
    });

    verifies('REQ-3', `${apiMode}: do not include our internal fields`, () => {
      const text = bodyText(apiMode, producerOf(apiMode));
      for (const name of [
        'reasoning":"thought',
        'finishReason',
        'finish_reason',
        'producer',
        'toolName',
        'sentContent',
      ]) {
        expect(text).not.toContain(name);
      }
    });
  }

  verifies('REQ-3', 'include reasoning as plain text if the provider wants it', () => {
    expect(bodyText('chat_completions', 'else', { reasoningField: 'reasoning_content' })).toContain(
      '"reasoning_content":"thought"',
    );
    expect(bodyText('chat_completions', 'else', { reasoningField: 'reasoning' })).toContain('"reasoning":"thought"');
  });

  it('put reasoning before everything else, and never alone', () => {
    const message = { ...native('anthropic_messages', undefined), toolCalls: [] };
    const [only] = bodyOf('anthropic_messages', requestOf([message])).messages as { content: JsonObject[] }[];
    expect(only?.content.map((block) => block.type)).toEqual(['thinking', 'text']);
    expect(bodyOf('anthropic_messages', requestOf([{ ...message, content: '' }])).messages).toEqual([]);
    expect(bodyOf('codex_responses', requestOf([{ ...message, content: '' }])).input).toEqual([]);
  });

  verifies('REQ-3', 'exclude reasoning that Anthropic has not signed', () => {
    const reasoningDetails: JsonValue[] = [
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'thinking', thinking: 'half', signature: '' },
      { type: 'redacted_thinking', data: 'D' },
      { type: 'thinking', thinking: 'signed', signature: 's' },
    ];
    const message: Message = { role: 'assistant', content: 'text', reasoningDetails };
    const [only] = bodyOf('anthropic_messages', requestOf([message])).messages as { content: JsonObject[] }[];
    expect(only?.content).toEqual([...reasoningDetails.slice(2), { type: 'text', text: 'text' }]);
  });
});

const identifier = fc.stringMatching(/^[a-z]{1,8}$/);
const argumentsText = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.dictionary(identifier, fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value, null, 1)),
  fc.constantFrom('', '{', '[1]', '"text"', '{"n": 1.0}', '{"big":12345678901234567890}'),
);
const step = fc.record({
  content: fc.string({ unit: 'binary' }),
  calls: fc.array(fc.record({ name: identifier, arguments: argumentsText }), { maxLength: 3 }),
  result: fc.string(),
});
/** Turns as the loop creates them: a request always ends with a message that the model has to answer. */
const turns = fc.array(fc.record({ user: fc.string({ minLength: 1 }), steps: fc.array(step, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 3,
});

/** The histories of all requests of these turns, oldest first. */
function requestsOf(
  source: {
    user: string;
    steps: { content: string; calls: { name: string; arguments: string }[]; result: string }[];
  }[],
) {
  const messages: Message[] = [];
  const requests: Message[][] = [];
  for (const [at, turn] of source.entries()) {
    messages.push({ role: 'user', content: `u${turn.user}` });
    requests.push([...messages]);
    for (const [number, { content, calls, result }] of turn.steps.entries()) {
      const toolCalls = [{ name: 'a', arguments: '{}' }, ...calls].map((call, index) => ({
        ...call,
        id: `c-${at}-${number}-${index}`,
      }));
      messages.push({ role: 'assistant', content, toolCalls });
      for (const call of toolCalls)
        messages.push({ role: 'tool', toolCallId: call.id, toolName: call.name, content: result });
      requests.push([...messages]);
    }
    messages.push({ role: 'assistant', content: 'end' });
  }
  return requests;
}

describe.each(API_MODES)('%s: bytes', (apiMode) => {
  verifies('REQ-1', `${apiMode}: contains what was sent before, not what the user wrote`, () => {
    const { body } = clientOf(apiMode).prepare(
      requestOf([{ role: 'user', content: 'written', sentContent: 'recalled and sent' }]),
    );
    expect(body).toContain('"recalled and sent"');
    expect(body).not.toContain('written');
  });

  verifies(
    ['REQ-4', 'REQ-6'],
    `${apiMode}: gives the same bytes for the same history, and extends them for a longer one`,
    () => {
      fc.assert(
        fc.property(turns, (source) => {
          const client = clientOf(apiMode);
          let before = '';
          for (const messages of requestsOf(source)) {
            const request = requestOf(messages, { tools: [TOOL] });
            const { body } = client.prepare(request);
            expect(client.prepare(request).body).toBe(body);
            // After a resume, the messages are new objects with the same content, and the client has an empty cache.
            expect(clientOf(apiMode).prepare(structuredClone(request)).body).toBe(body);
            expect(() => JSON.parse(body)).not.toThrow();
            expect(body.startsWith(before)).toBe(true);
            expect(body.endsWith(']}')).toBe(true);
            before = body.slice(0, -2);
          }
        }),
        { numRuns: 100 },
      );
    },
  );

  verifies(
    ['REQ-4', 'TOOLX-7'],
    `${apiMode}: sends valid arguments byte for byte, repaired ones as they were run, unreadable ones as {}`,
    () => {
      const bytesFor = (text: string) =>
        clientOf(apiMode).prepare(
          requestOf([{ role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'n', arguments: text }] }]),
        ).body;
      const field = apiMode === 'anthropic_messages' ? '"input":' : '"arguments":';
      const asObject = apiMode === 'anthropic_messages' || apiMode === 'ollama_chat';
      const written = (text: string) => (asObject ? text : JSON.stringify(text));
      for (const text of [CALL.arguments, '{"b":1e2,"a":-0.0}', '{ "x" : "\\u00e9é" }', '{"a":1,"a":2}']) {
        expect(bytesFor(text)).toContain(field + written(text));
      }
      const repaired: [stored: string, sent: string][] = [
        ['{"text":"hi",}', '{"text":"hi"}'],
        ["{'text': 'single', 'a': None}", '{"a":null,"text":"single"}'],
        ['```json\n{"b": 1, "a": [1, 2]}\n```', '{"a":[1,2],"b":1}'],
        [JSON.stringify('{"b": 1,  "a": {"d": 1, "c": 2}}'), '{"a":{"c":2,"d":1},"b":1}'],
        [JSON.stringify('{"a": 1,}'), '{"a":1}'],
        ['{"__proto__": {"x": 1},}', '{"__proto__":{"x":1}}'],
      ];
      for (const [stored, sent] of repaired) expect(bytesFor(stored)).toContain(field + written(sent));
      for (const text of ['', '{', '{"a":"b', '[1]', 'null', '"x"', '"{"', '{"a":1} trailing']) {
        expect(bytesFor(text)).toContain(field + written('{}'));
      }
    },
  );

  it('drops and renames parameters, and nothing else', () => {
    const limit = {
      chat_completions: 'max_tokens',
      codex_responses: 'max_output_tokens',
      anthropic_messages: 'stream',
      ollama_chat: 'options',
    }[apiMode];
    const before = bodyOf(apiMode, requestOf(HISTORY, { maxOutputTokens: 7 }));
    const request = (changes: ModelRequest['parameterChanges']) =>
      bodyOf(apiMode, requestOf(HISTORY, { maxOutputTokens: 7, parameterChanges: changes }));
    const { [limit]: value, ...rest } = before;
    expect(request([{ name: limit }])).toEqual(rest);
    expect(request([{ name: limit, replacement: 'other' }])).toEqual({ ...rest, other: value });
    expect(request([{ name: 'never_there' }, { name: 'model' }, { name: 'messages' }, { name: 'input' }])).toEqual(
      before,
    );
  });
});

describe('prepare', () => {
  it('builds the URL of each mode', () => {
    const url = (apiMode: ApiMode, baseUrl: string) =>
      createModelClient({ apiMode, baseUrl, model: 'm', stallTimeoutMs: 1 }).prepare(requestOf([])).url;
    expect(url('chat_completions', 'https://a.b/v1/')).toBe('https://a.b/v1/chat/completions');
    expect(url('codex_responses', 'https://a.b/v1')).toBe('https://a.b/v1/responses');
    expect(url('anthropic_messages', 'https://a.b')).toBe('https://a.b/v1/messages');
    expect(url('anthropic_messages', 'https://a.b/v1/')).toBe('https://a.b/v1/messages');
    expect(url('anthropic_messages', 'https://a.b/anthropic')).toBe('https://a.b/anthropic/v1/messages');
    expect(url('chat_completions', 'https://a.b/x?api-version=1')).toBe('https://a.b/x/chat/completions?api-version=1');
  });

  it('rejects an invalid URL', () => {
    const make = (baseUrl: string) => () =>
      createModelClient({ apiMode: 'chat_completions', baseUrl, model: 'm', stallTimeoutMs: 1 });
    expect(make('localhost:8080/v1')).toThrow('not a valid http or https URL');
    expect(make('')).toThrow('base URL');
  });

  it('names the producer by mode and origin', () => {
    expect(clientOf('codex_responses').producer).toBe('codex_responses https://api.example.com');
  });

  it('encodes a long history once, not with every request', () => {
    const client = clientOf('chat_completions');
    let reads = 0;
    const message: Message = {
      role: 'user',
      get content() {
        reads += 1;
        return 'text';
      },
    };
    for (let request = 0; request < 5; request += 1) client.prepare(requestOf([message]));
    expect(reads).toBe(1);
  });
});
