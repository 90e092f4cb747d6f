import { type Message, systemClock } from '../../src/base/index.ts';
import { createContextEngine } from '../../src/context/index.ts';
import { createTokenMeter } from '../../src/context/meter/token-meter.ts';
import { findReplacement } from '../../src/context/replacement.ts';
import { type CompressionInput, silentLogger } from '../../src/contracts/index.ts';
import { createStoredLineage, type StoredLineage } from '../../test/support/stored-lineage.ts';
import { LONG_FACTS, type LongFact, longWork } from './long-work.ts';
import { createExtractiveModel } from './summary-model.ts';

export type LongFidelity = {
  window: number;
  inWindow: readonly LongFact[];
  /** Not in the window, but in a message whose number is in the window. */
  readBack: readonly LongFact[];
  unreachable: readonly LongFact[];
  summaries: number;
  clearings: number;
  /** Tool results that were shortened or removed before the model had seen them. */
  unseenCut: number;
};

const FIXED_TOKENS = 3_000;
/** Of the sentences that it would choose, a mediocre model forgets every third. */
const FORGETS_EVERY = 3;

/** Keeps a session of 300 turns within a window, and checks where its facts are at the end. */
export async function measureLong(window: number): Promise<LongFidelity> {
  const auxiliary = createExtractiveModel(FORGETS_EVERY);
  const engine = createContextEngine({}, { auxiliary, logger: silentLogger, clock: systemClock });
  const meter = createTokenMeter();
  const lineage = createStoredLineage();
  let [inherited, summaries, clearings, unseenCut] = [0, 0, 0, 0];
  const inputFor = (): CompressionInput => {
    const messages = lineage.conversation();
    const tokensOf = (some: readonly Message[]) => meter.ofMessages('bench', some);
    return {
      sessionId: 'session',
      lineageId: 'lineage',
      reason: 'results',
      attempt: 1,
      todos: [],
      canReadBack: true,
      messages,
      inherited,
      tokensOf,
      fixedTokens: FIXED_TOKENS,
      tokens: FIXED_TOKENS + tokensOf(messages),
      contextLength: window,
      signal: new AbortController().signal,
    };
  };
  const compressIfDue = async () => {
    const input = inputFor();
    if (!engine.shouldCompress(input) && !(await engine.shouldClear?.(input))) return;
    const compression = await engine.compress(input);
    if (compression === undefined) return;
    lineage.split(compression);
    inherited = compression.messages.length;
    if (compression.summary.by === 'none') clearings += 1;
    else summaries += 1;
    const unseen = input.messages.slice(input.messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    const kept = new Set(lineage.conversation());
    unseenCut += unseen.filter((message) => message.role === 'tool' && !kept.has(message)).length;
  };
  for (const turn of longWork()) {
    // Before each call of the model: for the user message, and for the result of the tool.
    for (const messages of [turn.slice(0, 1), turn.slice(1, -1), turn.slice(-1)]) {
      lineage.append(messages);
      if (messages.at(-1)?.role !== 'assistant') await compressIfDue();
    }
  }
  return { window, ...findFacts(lineage), summaries, clearings, unseenCut };
}

function findFacts(lineage: StoredLineage): Pick<LongFidelity, 'inWindow' | 'readBack' | 'unreachable'> {
  const messages = lineage.conversation();
  const text = messages.map(textOf).join('\n');
  const numbers = [
    ...messages.flatMap((message) => findReplacement(message)?.numbers?.removed ?? []),
    ...[...text.matchAll(/omitted to save context[^\]\n]*: message #(\d+)\]/g)].map(([, number]) => Number(number)),
  ];
  const readable = numbers.map((number) => textOf(lineage.originals[number - 1])).join('\n');
  const outside = LONG_FACTS.filter(({ answer }) => !text.includes(answer));
  return {
    inWindow: LONG_FACTS.filter((fact) => !outside.includes(fact)),
    readBack: outside.filter(({ answer }) => readable.includes(answer)),
    unreachable: outside.filter(({ answer }) => !readable.includes(answer)),
  };
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return '';
  return message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
}
