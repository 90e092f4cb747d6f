import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  answering,
  applyCompression,
  inputOf,
  longConversation,
  step,
  summaryWith,
} from '../../../test/support/context-fixture.ts';
import { type Message, ownBlock } from '../../base/index.ts';
import { type AuxiliaryModels, type CompressionInput, silentLogger } from '../../contracts/index.ts';
import { createFakeClock } from '../../testing/index.ts';
import { createContextEngine } from '../index.ts';
import { findReplacement } from '../replacement.ts';
import { MODEL_HEADINGS } from './sections.ts';

function engineWith(auxiliary: AuxiliaryModels) {
  return createContextEngine({}, { auxiliary, logger: silentLogger, clock: createFakeClock() });
}

/** Returns the conversation after a compression and the text of its summary. */
async function compress(
  auxiliary: AuxiliaryModels,
  messages: readonly Message[],
  changes: Partial<CompressionInput> = {},
) {
  const compression = await engineWith(auxiliary).compress(inputOf(messages, { reason: 'command', ...changes }));
  if (compression === undefined) return expect.unreachable('nothing was saved');
  const after = applyCompression(messages, compression.messages);
  const summary = after.map(findReplacement).find((found) => found !== undefined);
  return { after, body: summary?.body ?? '', compression };
}

const KEY = `sk-proj-${'a1B2c3D4'.repeat(5)}`;

describe('the summary', () => {
  verifies(
    ['CTX-7', 'OBS-4'],
    'is requested with fixed headings, with the middle as data without secrets',
    async () => {
      const auxiliary = answering(() => summaryWith({ Goal: 'it' }));
      const messages = longConversation(12);
      messages[8] = { role: 'user', content: `use the key ${KEY} for it` };
      const { compression } = await compress(auxiliary, messages);
      expect(compression.summary).toEqual({ by: 'model', model: 'test/small' });
      const [request] = auxiliary.requests;
      for (const heading of MODEL_HEADINGS) expect(request?.system).toContain(`## ${heading}`);
      expect(request).toMatchObject({ sessionId: 'session' });
      const question = request?.messages[0]?.content ?? '';
      const lines = /<messages>\n(.*)\n<\/messages>/s.exec(question)?.[1]?.split('\n') ?? [];
      const data = lines.map((line) => JSON.parse(line) as { number: number });
      expect(data.length).toBeGreaterThan(20);
      expect(data[0]?.number).toBe(5);
      expect(question).toContain('«secret removed»');
      expect(question).not.toContain(KEY);
    },
  );

  verifies(['CTX-7', 'OBS-4'], 'contains no secret, even if the model wrote one', async () => {
    const { body } = await compress(
      answering(() => summaryWith({ Values: `the key is ${KEY}` })),
      longConversation(12),
    );
    expect(body).toContain('«secret removed»');
    expect(body).not.toContain(KEY);
  });

  verifies('CTX-7', 'quotes the user literally, even if the model does not', async () => {
    const messages: Message[] = [
      ...longConversation(10),
      { role: 'user', content: 'Now add a flag.\n\nIts name is --quiet.' },
    ];
    const { body } = await compress(
      answering(() => summaryWith({ 'Active task': 'something else' })),
      messages,
    );
    expect(body).toMatch(
      /^## Active task\n- In the user's words \(#71\): Now add a flag\.\n {2}\n {2}Its name is --quiet\./,
    );
    expect(body).toContain('## User messages\n- #8: Wish number 1: edit module1\n- #15: Wish number 2: edit module2');
  });

  verifies('CTX-7', 'contains steering messages of the user', async () => {
    const [call, result] = step('s', ['done']) as [Message, Message];
    const steered = { ...result, content: `done${ownBlock('steering').write('Use port 8123, not 80.')}` };
    const steps = Array.from({ length: 30 }, (_, index) => step(`${index}`, ['x '.repeat(400)])).flat();
    const messages: Message[] = [...longConversation(2), { role: 'user', content: 'Go.' }, call, steered, ...steps];
    const { body } = await compress(
      answering(() => summaryWith()),
      messages,
    );
    expect(body).toContain("- In the user's words (#17): Use port 8123, not 80.");
  });

  verifies('CTX-7', 'is updated by the next compression, wherever it is', async () => {
    const first = await compress(
      answering(() => summaryWith({ Decisions: 'we use the port 8123 for all tests' })),
      longConversation(12),
    );
    const auxiliary = answering(() => summaryWith({ Goal: 'the second goal' }));
    const second = await compress(auxiliary, [...first.after, ...longConversation(12)]);
    const question = auxiliary.requests[0]?.messages[0]?.content ?? '';
    expect(question).toContain('Update the record');
    expect(question).toMatch(/<record>.*we use the port 8123.*<\/record>/s);
    // Messages removed earlier are not summarised again, and the previous summary is not a message.
    expect(question).not.toContain('Hermes: summary');
    expect(second.after.filter(findReplacement)).toHaveLength(1);
    expect(second.body).toContain('the second goal');
    expect(second.body).toContain('- we use the port 8123 for all tests');
    expect(second.body).toContain('- #8: Wish number 1: edit module1');
  });

  verifies('CTX-7', 'recognises and updates a summary of the original program', async () => {
    const foreign: Message = {
      role: 'assistant',
      content:
        '[CONTEXT COMPACTION] Earlier turns were compacted.\n## Goal\nShip it\n## Critical Context\n- the port is 7001',
    };
    const auxiliary = answering(() => summaryWith({ Goal: 'ship it' }));
    const messages: Message[] = [{ role: 'user', content: 'go' }, foreign, ...longConversation(12)];
    const { body, after } = await compress(auxiliary, messages);
    expect(auxiliary.requests[0]?.messages[0]?.content).toContain('- the port is 7001');
    expect(after.filter(findReplacement)).toHaveLength(1);
    expect(body).toContain('- the port is 7001');
  });

  verifies('CTX-7', 'focuses on the topic that the user names', async () => {
    const auxiliary = answering(() => summaryWith());
    await compress(auxiliary, longConversation(12), { topic: 'the lexer' });
    expect(auxiliary.requests[0]?.messages[0]?.content).toContain(
      'Focus on this topic and keep the rest brief: the lexer',
    );
  });

  verifies('CTX-9', 'contains the open to-do items and no others', async () => {
    const todos = (['pending', 'in_progress', 'completed', 'cancelled'] as const).map((status, index) => ({
      id: `${index}`,
      content: `item ${index}`,
      status,
    }));
    const { body } = await compress(
      answering(() => summaryWith()),
      longConversation(12),
      { todos },
    );
    expect(body).toContain('## To do\n- 0 (open): item 0\n- 1 (in progress): item 1\n\n');
    expect(body).not.toContain('item 2');
  });

  verifies('CTX-2', 'stays within its limit for any input', async () => {
    const long = MODEL_HEADINGS.map(
      (heading) =>
        `## ${heading}\n${Array.from({ length: 12 }, (_, n) => `- ${heading} ${n} of many different things`).join('\n')}`,
    );
    const wordy = summaryWith({
      Goal: 'a goal of many words '.repeat(40),
      'Active task': Array.from({ length: 30 }, (_, n) => `task ${n} of the list`).join('\n- '),
    });
    for (const [contextLength, answer] of [
      [8_000, long.join('\n')],
      [16_000, long.join('\n')],
      [16_000, wordy],
      [100_000, long.join('\n')],
    ] as const) {
      const messages = longConversation(contextLength / 400);
      const { after, compression } = await compress(
        answering(() => answer),
        messages,
        { contextLength },
      );
      const replacement = after.find(findReplacement) as Message;
      const added = inputOf([]).tokensOf([
        {
          role: 'user',
          content: replacement.role === 'user' ? (replacement.sentContent ?? replacement.content) : replacement.content,
        },
      ]);
      expect(added).toBeLessThanOrEqual(contextLength * 0.05 + 60);
      expect(compression.tokensAfter).toBeLessThan(contextLength * 0.5);
    }
  });
});
