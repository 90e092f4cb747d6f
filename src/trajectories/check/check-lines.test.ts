import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import { checkLines, type Trajectory, toConversations } from '../index.ts';
import { toJsonLine } from '../spaced-json.ts';
import { readCall } from '../tool-blocks.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function check(text: string | Uint8Array): Promise<string[]> {
  const found: string[] = [];
  for await (const { line, message } of checkLines(inPieces(Buffer.from(text), 7))) found.push(`${line}: ${message}`);
  return found;
}

const SAMPLE: readonly Message[] = [
  { role: 'user', content: 'List them' },
  {
    role: 'assistant',
    content: 'Yes.',
    reasoning: 'Two calls.',
    toolCalls: ['a', 'b'].map((id) => ({ id, name: 'terminal', arguments: '{"command":"ls"}' })),
  },
  { role: 'tool', toolCallId: 'a', toolName: 'terminal', content: '{"exit":0}' },
  { role: 'tool', toolCallId: 'b', toolName: 'terminal', content: 'a\nb' },
  { role: 'assistant', content: 'Two files.' },
];

function sample(messages: readonly Message[] = SAMPLE): Trajectory {
  const tools = [{ name: 'terminal', description: 'Runs', parameters: { type: 'object' } }];
  const { conversations } = toConversations({ messages: messages.map((message) => ({ message })), tools });
  return { conversations, timestamp: '2026-03-30T14:22:31.456789', model: 'a/model', completed: true };
}

/** The sample with one turn changed. */
function changed(turn: number, change: (value: string) => string): Trajectory {
  const line = sample();
  const found = line.conversations[turn];
  if (found !== undefined) found.value = change(found.value);
  return line;
}

const text = () =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '<think>',
      '</think>\n',
      '<tool_call>\n{}\n</tool_call>',
      '</tool_response>',
      '\ud800',
      '{"a": [1]}',
      '[',
      '\n',
      '<REASONING_SCRATCHPAD>x</REASONING_SCRATCHPAD>y',
      '\u2028',
      '{"error": "<tool_call>"}',
      '  ',
    ),
    fc.json(),
  );
const calls = () =>
  fc.array(fc.record({ id: fc.string(), name: text(), arguments: fc.oneof(text(), fc.json()) }), { maxLength: 3 });

function messageList(): fc.Arbitrary<Message[]> {
  const one = fc.oneof(
    fc.record({ role: fc.constant('user' as const), content: text() }),
    fc.record({ role: fc.constant('assistant' as const), content: text(), reasoning: text(), toolCalls: calls() }),
    fc.record({ role: fc.constant('tool' as const), content: text(), toolCallId: fc.string(), toolName: text() }),
  );
  return fc.array(one, { maxLength: 8 });
}

verifies('TRAJ-2', 'finds no violation in what is written for any stored session', async () => {
  await fc.assert(
    fc.asyncProperty(messageList(), fc.boolean(), async (messages, redact) => {
      const all = [{ role: 'user', content: 'x' } as const, ...messages].map((message) => ({ message }));
      const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
      const tools = called.map((call) => ({ name: readCall(call).name, description: '', parameters: {} }));
      const { conversations } = toConversations({ messages: all, tools, redact });
      const found = await check(`${toJsonLine({ ...sample(), conversations })}\n`);
      // Generated calls may have the same id, as some providers send them. The agent makes ids unique, so these
      // errors are ignored here.
      expect(found.filter((message) => !message.includes('two results for the call'))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe('checkLines', () => {
  it('finds nothing in valid lines', async () => {
    const line = `${toJsonLine(sample())}\n`;
    expect(await check(line.repeat(3))).toEqual([]);
    expect(await check('')).toEqual([]);
  });

  it.each<[string, Trajectory | object, RegExp]>([
    [
      'a turn without thinking',
      changed(2, (value) => value.slice(8)),
      /turn 3 \(gpt\) does not start with a think block/,
    ],
    [
      'a result too few',
      changed(3, (value) => value.split('\n').slice(3).join('\n')),
      /turn 4 \(tool\) has 1 results for 2/,
    ],
    [
      'another name',
      changed(3, (value) => value.replace('"terminal"', '"other"')),
      /result of other in the position of terminal/,
    ],
    [
      'arguments in a string',
      changed(2, (value) => value.replace(/\{"command": "ls"\}/, '"{}"')),
      /tool_call that is not/,
    ],
    [
      'a second think block',
      changed(4, (value) => `${value}\n<think>\nagain\n</think>\nand more`),
      /turn 5 \(gpt\) has a second think block/,
    ],
    [
      'a tool without a definition',
      changed(0, (value) => value.replaceAll('"terminal"', '"shell"')),
      /turn 4 \(tool\) has a result of terminal, which the tools block does not list/,
    ],
    ['a block that is open', changed(2, (value) => value.replace('</tool_call>', '')), /block that is not closed/],
    [
      'JSON inside a string',
      changed(3, (value) => value.replace('{"exit": 0}', '"{\\"exit\\": 0}"')),
      /JSON inside a string/,
    ],
    ['words among results', changed(3, (value) => `${value}\nmore`), /something other than tool_response/],
    [
      'the same call twice',
      changed(3, (value) => value.replace('"b", "name"', '"a", "name"')),
      /two results for the call "a"/,
    ],
    [
      'results of nothing',
      { ...sample(), conversations: [...sample().conversations, { from: 'tool', value: '' }] },
      /turn 6 \(tool\) has no results/,
    ],
    ['no tools', changed(0, () => 'Hello'), /turn 1 \(system\) has no tools block/],
    ['a tool of another form', changed(0, (value) => value.replace(', "required": null', '')), /lists a tool/],
    ['a lone surrogate', changed(1, () => '\ud800'), /lone surrogate/],
    ['no results', { ...sample(), conversations: sample().conversations.slice(0, 3) }, /ends before the results of 2/],
    [
      'no system turn',
      { ...sample(), conversations: sample().conversations.slice(1) },
      /turn 1 \(human\) must be the system/,
    ],
    [
      'results that nobody waits for',
      { ...sample(), conversations: sample().conversations.toSpliced(2, 1) },
      /2 results for 0/,
    ],
    ['an unknown role', { ...sample(), conversations: [{ from: 'user', value: '' }] }, /turn 1 must be/],
    ['no conversation', { ...sample(), conversations: [] }, /must be a list of turns/],
    ['another time', { ...sample(), timestamp: '2026-03-30T14:22:31Z' }, /timestamp must be/],
    ['a field too few', { ...sample(), model: undefined }, /model is missing/],
    ['a field too many', { ...sample(), note: 1 }, /"note" is not a field/],
    ['another order', Object.fromEntries(Object.entries(sample()).toReversed()), /not in the order/],
    ['a word for a truth', { ...sample(), completed: 'yes' }, /completed must be/],
  ])('finds %s', async (_what, line, expected) => {
    const found = await check(`${toJsonLine(sample())}\n${JSON.stringify(line)}\n`);
    expect(found.join('\n')).toMatch(expected);
    expect(found.every((message) => message.startsWith('2: '))).toBe(true);
  });

  it('reports unreadable lines by number', async () => {
    const good = toJsonLine(sample());
    const bytes = [`${good}\n`, '\n', '{"a": \n', Buffer.from([0xff, 10]), '[1]\n', `\ufeff${good}\n`, good];
    const found = await check(Buffer.concat(bytes.map((piece) => Buffer.from(piece as string))));
    expect(found).toEqual([
      '2: the line is empty',
      expect.stringMatching(/^3: the line is not JSON: /),
      '4: the line is not UTF-8',
      '5: the line is not a JSON object',
      '6: the line begins with a byte order mark',
      '7: the last line has no line end: the program that wrote it may have been killed',
    ]);
  });

  it('finds violations that parsed JSON no longer shows', async () => {
    const good = toJsonLine(sample());
    const lines = [
      `${good}\r`,
      good.replace('"completed"', '"completed": false, "compl\\u0065ted"'),
      good.replace('{"from": "human"', '{"from": "gpt", "from": "human"'),
      good.replace('"a/model"', '"a/\\uD83D"'),
      // The same name in different objects, in a list or in a text, and a complete surrogate pair are valid.
      good.replace('"a/model"', '"\\ud83d\\ude00 {\\"model\\": 1, \\"model\\": 2}"'),
    ];
    expect(await check(lines.map((line) => `${line}\n`).join(''))).toEqual([
      '1: the line ends with a carriage return',
      '2: the field "completed" occurs twice in one object',
      '3: the field "from" occurs twice in one object',
      '4: model contains a lone surrogate',
    ]);
  });

  it('finds columns that differ between the lines of a batch', async () => {
    const line = (prompt: number, more: object = {}) => ({
      prompt_index: prompt,
      conversations: sample().conversations,
      metadata: { a: 1, c: 2 },
      completed: true,
      partial: false,
      api_calls: 2,
      toolsets_used: ['file'],
      tool_stats: { terminal: { count: 2, success: 1, failure: 1 } },
      tool_error_counts: { terminal: 1 },
      ...more,
    });
    const lines = [
      line(0),
      line(1, { metadata: { b: 1 } }),
      line(0),
      line(3, { tool_stats: { x: { count: 2, success: 1, failure: 0 } } }),
      sample(),
      line(4, { metadata: { c: 2, a: 1 } }),
    ];
    expect(await check(lines.map((entry) => `${toJsonLine(entry)}\n`).join(''))).toEqual([
      '2: metadata has other fields than on the first line',
      '3: prompt_index 0 occurs again',
      '4: tool_stats of x: success and failure do not add up to count',
      '4: tool_stats and tool_error_counts do not name the same tools',
      '4: tool_stats names other tools than on the first line',
      '5: this line is from a chat, but the first line is from a batch',
      '6: metadata is in another order than on the first line',
    ]);
  });

  it('finds nothing in answers about thinking and in calls of unknown tools', async () => {
    const aside = changed(4, (value) => `${value}\nWrite \`<think>\\n…\\n</think>\` first: <think>, then </think>.`);
    const refused = {
      ...sample(),
      conversations: sample().conversations.map(({ from, value }) => {
        if (from !== 'gpt' && from !== 'tool') return { from, value };
        const renamed = value.replaceAll('"terminal"', '"no_such_tool"');
        return { from, value: renamed.replace(/"content": .*\}$/gm, '"content": {"error": "There is no tool"}}') };
      }),
    };
    const otherwise = changed(3, (value) => value.replaceAll('"terminal"', '"Terminal"'));
    otherwise.conversations = otherwise.conversations.map((turn) => ({
      ...turn,
      value: turn.from === 'gpt' ? turn.value.replaceAll('"terminal"', '"Terminal"') : turn.value,
    }));
    for (const line of [aside, refused, otherwise]) expect(await check(`${toJsonLine(line)}\n`)).toEqual([]);
  });

  it('recognises records of failed prompts and does not treat them as trajectories', async () => {
    const record = {
      prompt_index: 1,
      prompt: 'go',
      reason: 'no',
      kind: null,
      hint: null,
      session_id: null,
      timestamp: 't',
    };
    const totals = { lines: 0, deviations: 0, badLines: 0, failures: 0 };
    const lines = `${toJsonLine(record)}\n${toJsonLine({ ...record, prompt_index: 2 })}\n`;
    for await (const { message } of checkLines(inPieces(Buffer.from(lines), 7), totals))
      expect(message).toBeUndefined();
    expect(totals).toEqual({ lines: 2, deviations: 0, badLines: 0, failures: 2 });
    expect(await check(`${toJsonLine(sample())}\n${toJsonLine(record)}\n`)).toEqual([
      '2: this line is from a failed prompt, but the first line is from a chat',
    ]);
  });
});
