import type { Message } from '../../src/base/index.ts';
import { createChance } from './chance.ts';

/** The kinds of facts that a later turn of a long session may need. */
export const KINDS = ['rule', 'name', 'choice', 'cause', 'figure', 'place', 'remaining'] as const;
export type Kind = (typeof KINDS)[number];

/** A fact, the text that must be found literally, and who states it. */
export type LongFact = { kind: Kind; place: 'user' | 'result' | 'answer'; sentence: string; answer: string };

function fact(kind: Kind, place: LongFact['place'], answer: string, sentence: string): LongFact {
  return { kind, place, sentence: sentence.replace('§', answer), answer };
}

/** Forty facts in the order in which they occur. `§` marks the text that must be found. */
export const LONG_FACTS: readonly LongFact[] = [
  fact('rule', 'user', 'vendor/legacy', 'Never change anything below §.'),
  fact('choice', 'answer', 'a write-ahead log', 'I decided on § because a crash lost the last batch.'),
  fact('figure', 'result', '67108864', 'LEXER_CACHE_BYTES resolved to §'),
  fact('cause', 'answer', 'the clock of db-ro-5', 'The root cause is §, which is eleven seconds late.'),
  fact('name', 'user', 'cus_88213', 'The customer who complains is §.'),
  fact('place', 'answer', 'fixtures/astral-17.txt', 'The input that fails is §.'),
  fact('remaining', 'answer', 'the migration of the partners table', 'What remains is §.'),
  fact('rule', 'user', 'P017', 'Errors must carry a code such as §.'),
  fact('figure', 'answer', '184 ms', 'Parsing the large sample takes § now.'),
  fact('place', 'result', '/etc/relay/relay.d/40-limits.toml', 'config: §'),
  fact('choice', 'answer', 'stratified sampling', 'I chose § instead of quotas.'),
  fact('name', 'answer', 'Brandt & Söhne', 'The certificate was issued to §, confirmed by its serial number.'),
  fact('rule', 'user', 'in the imperative', 'Please write commit messages § only.'),
  fact('remaining', 'answer', 'docs/runbooks/drain.md', 'TODO: correct step 6 of §.'),
  fact('cause', 'answer', 'a proxy in Frankfurt', 'The requests are dropped because § closes idle connections.'),
  fact('figure', 'user', '1900 euros', 'The budget for new machines is § a month.'),
  fact('place', 'answer', 'packages/parser/tokens.bnf', 'The grammar is in §.'),
  fact('choice', 'user', 'version 2.3', 'We stay on protocol § until the partners have moved.'),
  fact('name', 'result', 'relay-7f3c', 'pod: §'),
  fact('rule', 'user', '03:40 UTC', 'The nightly job runs at §, do not deploy then.'),
  fact('cause', 'answer', 'an index without a tenant column', 'It turned out that § makes the query slow.'),
  fact('choice', 'answer', '48 connections', 'I settled on § for the pool.'),
  fact('remaining', 'answer', 'the retry of webhooks', 'Still open: § has no limit.'),
  fact('figure', 'answer', '2.81 s', 'The replica lag is § at p99.'),
  fact('place', 'user', 'build/reports', 'Put every report into §.'),
  fact('name', 'answer', 'Zhou Min', 'The contact for the survey is §, extension 417.'),
  fact('cause', 'answer', '缺少租户索引', '根本原因是§。'),
  fact('choice', 'answer', '分层抽样', '我决定采用§，因为各地区的回收率差别太大。'),
  fact('rule', 'user', 'the auditors', 'Ask me before you delete a log, § want them.'),
  fact('remaining', 'answer', 'die Prüfung der Sicherungen', 'Noch offen ist §.'),
  fact('choice', 'answer', 'un índice parcial', 'Elegimos § en lugar de una tabla nueva.'),
  fact('figure', 'result', '20260914_1105', 'schema_migrations head: §'),
  fact('place', 'answer', 'var/crash/relay.1720.core', 'The core dump is kept at §.'),
  fact('name', 'user', 'Project Halcyon', 'Call it § in everything that customers read.'),
  fact('cause', 'answer', 'der doppelte Zeitstempel', 'Ursache ist §, den beide Dienste schreiben.'),
  fact('figure', 'answer', '812 tests', 'The suite has § now, three are skipped.'),
  fact('rule', 'user', 'their unit', 'Always give figures with §.'),
  fact('remaining', 'answer', 'the flag relay.drain_v2', 'Not yet done: removing §.'),
  fact('place', 'result', 'refs/library-0931.bib', 'bibliography: §'),
  fact('choice', 'answer', 'the gateway', 'Backpressure goes into § rather than the relay.'),
];

const TURNS = 300;
/** The last facts are still followed by this many turns. */
const TURNS_AFTER = 30;

/** A session of this many turns, with a fact every few turns. Everything depends on a fixed seed. */
export function* longWork(): Generator<Message[], void> {
  const next = createChance(11);
  const every = (TURNS - TURNS_AFTER) / LONG_FACTS.length;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const index = Math.floor(turn / every);
    const planted = index === Math.floor((turn - 1) / every) && turn > 0 ? undefined : LONG_FACTS[index];
    yield turnOf(turn, next, planted);
  }
}

const pick = (next: (below: number) => number, from: readonly string[]) => from[next(from.length)] ?? '';

function turnOf(turn: number, next: (below: number) => number, planted: LongFact | undefined): Message[] {
  const say = (place: LongFact['place'], text: string) =>
    planted?.place === place ? `${text} ${planted.sentence}` : text;
  const lines = Array.from({ length: 30 + next(30) }, () => logLine(next));
  if (planted?.place === 'result') lines.splice(Math.floor(lines.length / 2), 0, planted.sentence);
  // Every fifth turn calls three tools in parallel.
  const outputs = turn % 5 === 4 ? [lines.slice(0, 20), lines.slice(20), lines.slice(0, 9)] : [lines];
  const calls = outputs.map((_, call) => ({ id: `call-${turn}-${call}`, ...callOf(next) }));
  const results = calls.map(({ id, name }, call): Message => {
    return { role: 'tool', toolCallId: id, toolName: name, content: (outputs[call] ?? []).join('\n') };
  });
  const wish = pick(next, ['Go on.', 'Now the next part.', 'Have another look at it.', 'And the one after that.']);
  const done = pick(next, ['That part is done.', 'It works as it should.', 'Nothing else stood out.']);
  return [
    { role: 'user', content: say('user', wish) },
    { role: 'assistant', content: '', toolCalls: calls },
    ...results,
    { role: 'assistant', content: say('answer', `${done} I changed src/file${next(90)}.ts in ${2 + next(9)} places.`) },
  ];
}

function callOf(next: (below: number) => number): { name: string; arguments: string } {
  return next(2) === 0
    ? { name: 'terminal', arguments: `{"command":"make check-${next(500)}"}` }
    : { name: 'read_file', arguments: `{"path":"src/file${next(90)}.ts"}` };
}

function logLine(next: (below: number) => number): string {
  return pick(next, [
    `2026-11-${10 + next(18)} INFO worker-${next(64)} handled request in ${next(900)} ms`,
    `  at step${next(400)} (src/area${next(40)}/file${next(90)}.ts:${next(500)}:${next(80)})`,
    `ok ${next(900)} - case ${next(900)} of suite ${next(60)}`,
    `export const value${next(900)} = compute(${next(99)}, ${next(99)});`,
  ]);
}
