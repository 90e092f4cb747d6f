import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { answering, longConversation, summaryWith } from '../../../test/support/context-fixture.ts';
import { openEngine } from '../../../test/support/compressor-fixture.ts';
import type { AssistantMessage, Message } from '../../base/index.ts';
import { parseSections, STATED_HEADING } from './sections.ts';
import { findStatedFacts, fitStatedFacts, isLasting, parseStatedFacts } from './stated-facts.ts';
import { coverText } from './restore-facts.ts';

const answer = (content: string): AssistantMessage => ({ role: 'assistant', content });
const numbered = (...messages: Message[]) =>
  messages.map((message, index) => ({ index, number: index + 1, message, changed: false }));
const factsIn = (message: Message) => findStatedFacts(numbered(message)).map(({ text }) => text);
const length = (text: string) => text.length;

describe('what the assistant stated', () => {
  verifies('CTX-13', 'is found by its words in several languages, also next to tool calls', () => {
    for (const sentence of [
      'I decided on a Pratt parser.',
      'It is slow because the index has no tenant column.',
      'It turned out that two services write the field.',
      'What remains is the migration.',
      '我决定采用分层抽样。',
      '根本原因是缺少索引。',
      'Wir haben uns entschieden, den Puffer zu teilen.',
      'Noch offen ist die Prüfung der Sicherungen.',
      'Elegimos un índice parcial en lugar de una tabla nueva.',
      'Le test échoue à cause de la locale.',
      'Осталось проверить миграцию.',
      'Root cause: two writers',
    ]) {
      const calls = [{ id: 'a', name: 'terminal', arguments: '{}' }];
      expect(factsIn({ role: 'assistant', content: `I look at it. ${sentence}`, toolCalls: calls })).toContain(
        sentence,
      );
    }
  });

  verifies('CTX-13', 'is found in final answers by exact values, but not in code or in small talk', () => {
    expect(factsIn(answer('All good. Parsing takes 184 ms now. The grammar is in `tokens.bnf`.'))).toEqual([
      'Parsing takes 184 ms now.',
      'The grammar is in `tokens.bnf`.',
    ]);
    expect(factsIn(answer('Hello!\n```ts\nconst decided = because(42);\n```\nAnything else?'))).toEqual([]);
    const message: Message = { ...answer('It has 12 lines.'), toolCalls: [{ id: 'a', name: 'x', arguments: '{}' }] };
    expect(factsIn(message)).toEqual([]);
    expect(factsIn({ role: 'user', content: 'I decided on it.' })).toEqual([]);
    expect(
      factsIn(answer('It failed because of the key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.'))[0],
    ).not.toContain('abcdefghijklmnop');
  });

  verifies('CTX-13', 'is bounded, without duplicates, routine and what the record says already', () => {
    const messages = [
      answer('I decided on a log.'),
      answer('I decided on a log.'),
      answer('I settled on 48 connections for the pool of the relay.'),
      ...[1, 2, 3].map((index) => answer(`I changed src/file${index}.ts in ${index} places.`)),
      answer('The replica lag is 2.81 s.'),
    ];
    const record = coverText('- The pool of the relay has 48 connections: I settled on that.');
    const facts = findStatedFacts(numbered(...messages));
    expect(fitStatedFacts(facts, record, 1_000, length)).toEqual([
      '- #2: I decided on a log.',
      '- #7: The replica lag is 2.81 s.',
    ]);
    // What is certainly a fact stays longest.
    expect(fitStatedFacts(facts, record, 30, length)).toEqual(['- #2: I decided on a log.']);
    expect(parseStatedFacts(fitStatedFacts(facts, record, 1_000, length)).map(({ number }) => number)).toEqual([2, 7]);
    const many = Array.from({ length: 200 }, (_, index) => ({
      number: index,
      text: `I decided on variant ${'x'.repeat(index)}.`,
    }));
    expect(fitStatedFacts(many, coverText(''), Number.POSITIVE_INFINITY, length)).toHaveLength(60);
  });

  verifies(['CTX-13', 'CTX-7'], 'is carried over from summary to summary, whatever the model writes', async () => {
    const { compress } = openEngine(answering(() => summaryWith({ Goal: 'it' })));
    const stated = 'The root cause is the clock of db-ro-5.';
    let messages: Message[] = [...longConversation(3), { role: 'user', content: 'Why?' }, answer(stated)];
    for (let round = 0; round < 4; round += 1) {
      messages = [...messages, ...longConversation(9)];
      const { body, messages: compressed } = await compress(messages);
      expect(parseSections(body).get(STATED_HEADING)?.join('\n')).toContain(stated);
      const before = messages;
      messages = compressed.map((each) => each.message ?? (before[(each as { index: number }).index] as Message));
    }
    expect(messages.map(({ content }) => content)).not.toContain(stated);
  });
});

verifies('CTX-13', 'tells user statements that stay valid from steps', () => {
  expect(
    ['Never touch vendor.', 'The budget is 1900 euros.', '不要删除日志。', 'We agreed on a log.'].every(isLasting),
  ).toBe(true);
  expect(['Go on.', 'Have another look at it.', 'And the next part?'].some(isLasting)).toBe(false);
});
