import { type Message, systemClock } from '../../src/base/index.ts';
import { createContextEngine } from '../../src/context/index.ts';
import { createTokenMeter } from '../../src/context/meter/token-meter.ts';
import { findReplacement } from '../../src/context/replacement.ts';
import { silentLogger } from '../../src/contracts/index.ts';
import { createStoredLineage, type StoredLineage } from '../../test/support/stored-lineage.ts';
import type { Fact } from './planted-facts.ts';
import type { Session } from './sessions.ts';
import { createExtractiveModel } from './summary-model.ts';

/** The ways to keep a session within the window. */
export const WAYS = ['compressor', 'compressor without a model', 'lossless'] as const;
export type Way = (typeof WAYS)[number];

export type Fidelity = {
  session: string;
  way: Way;
  inWindow: number;
  /** Facts that the user stated: all of them, and those in the window. */
  ofUser: readonly [number, number];
  /** Not in the window, but in a message whose number is in the window. */
  readBack: number;
  lost: readonly Fact[];
  /** Tokens before and after each compression. */
  sizes: readonly (readonly [number, number])[];
  questions: number;
};

const WINDOW = 32_000;
const FIXED_TOKENS = 3_000;

/** Compresses a session three times and checks where its facts are afterwards. */
export async function measureFidelity(session: Session, way: Way): Promise<Fidelity> {
  const model = createExtractiveModel();
  const meter = createTokenMeter();
  const auxiliary = way === 'compressor' ? model : undefined;
  const contextEngine = way === 'lossless' ? 'lossless' : 'compressor';
  const engine = createContextEngine({ contextEngine }, { auxiliary, logger: silentLogger, clock: systemClock });
  const lineage = createStoredLineage();
  const sizes: [number, number][] = [];
  for (const part of session.parts) {
    lineage.append(part);
    const messages = lineage.conversation();
    const tokensOf = (some: readonly Message[]) => meter.ofMessages('bench', some);
    const compression = await engine.compress({
      sessionId: 'session',
      lineageId: 'lineage',
      reason: 'command',
      attempt: 1,
      todos: [],
      canReadBack: true,
      messages,
      tokensOf,
      fixedTokens: FIXED_TOKENS,
      tokens: FIXED_TOKENS + tokensOf(messages),
      contextLength: WINDOW,
      signal: new AbortController().signal,
    });
    if (compression === undefined) throw new Error(`${session.name}: nothing to compress`);
    lineage.split(compression);
    sizes.push([compression.tokensBefore, compression.tokensAfter]);
  }
  return { session: session.name, way, ...findFacts(session.facts, lineage), sizes, questions: model.questions() };
}

function findFacts(
  facts: readonly Fact[],
  lineage: StoredLineage,
): Pick<Fidelity, 'inWindow' | 'ofUser' | 'readBack' | 'lost'> {
  const window = lineage.conversation();
  const removed = window.flatMap((message) => findReplacement(message)?.numbers?.removed ?? []);
  const readable = removed.map((number) => lineage.originals[number - 1]).filter((message) => message !== undefined);
  const isIn = (messages: readonly Message[], { answer }: Fact) =>
    messages.some((message) => holdsAll(message, answer));
  const wholeWindow: Message = { role: 'user', content: window.map(textOf).join('\n') };
  const outside = facts.filter((fact) => !isIn([wholeWindow], fact));
  const lost = outside.filter((fact) => !isIn(readable, fact));
  const said = (some: readonly Fact[]) => some.filter(({ place }) => place === 'user').length;
  const ofUser = [said(facts), said(facts) - said(outside)] as const;
  return { ofUser, inWindow: facts.length - outside.length, readBack: outside.length - lost.length, lost };
}

function holdsAll(message: Message, answer: readonly string[]): boolean {
  const text = textOf(message);
  return answer.every((part) => text.includes(part));
}

function textOf(message: Message): string {
  if (message.role === 'user') return message.sentContent ?? message.content;
  if (message.role === 'tool') return message.content;
  return [message.content, ...(message.toolCalls ?? []).map((call) => call.arguments)].join('\n');
}
