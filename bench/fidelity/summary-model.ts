import { type JsonObject, NO_COST, NO_USAGE, parseJson } from '../../src/base/index.ts';
import { MODEL_HEADINGS as HEADINGS } from '../../src/context/summary/sections.ts';
import type { AuxiliaryModels } from '../../src/contracts/index.ts';

/**
 * A summary model implemented as a plain function: it selects sentences by their author and by general cues, and
 * keeps the previous record as far as there is room. It has no knowledge of the planted facts. With `forgetsEvery`, it
 * leaves out every nth of the sentences that it would choose.
 */
export function createExtractiveModel(
  forgetsEvery = Number.POSITIVE_INFINITY,
): AuxiliaryModels & { questions(): number } {
  let questions = 0;
  return {
    questions: () => questions,
    ask(_task, { messages: [question] }) {
      questions += 1;
      const rest = {
        finishReason: 'stop',
        usage: NO_USAGE,
        cost: NO_COST,
        provider: 'bench',
        model: 'extractive',
      } as const;
      return Promise.resolve({ text: summarise(question?.content ?? '', forgetsEvery), ...rest });
    },
  };
}

type Sentence = { heading: string; text: string; score: number };

function summarise(question: string, forgetsEvery: number): string {
  const words = Number(/at most (\d+) words/.exec(question)?.[1] ?? 300);
  const record = /<record>\n(.*)\n<\/record>/s.exec(question)?.[1] ?? '';
  const lines = /<messages>\n(.*)\n<\/messages>/s.exec(question)?.[1]?.split('\n') ?? [];
  const found = [...readRecord(record), ...lines.flatMap((line) => sentencesOf(parseJson(line) as JsonObject))];
  const unique = [...new Map(found.map((sentence) => [sentence.text, sentence])).values()];
  let room = words * 4;
  const chosen = unique
    .toSorted((a, b) => b.score - a.score)
    .filter(({ text }) => {
      room -= text.length * (/\p{Script=Han}/u.test(text) ? 3 : 1) + 4;
      return room > 0;
    });
  const remembered = chosen.filter((_, index) => (index + 1) % forgetsEvery !== 0);
  const kept = unique.filter((sentence) => remembered.includes(sentence));
  return HEADINGS.map((heading) => {
    const own = kept.filter((sentence) => sentence.heading === heading).map(({ text }) => `- ${text}`);
    return `## ${heading}\n${own.length === 0 ? '- none' : own.join('\n')}`;
  }).join('\n');
}

function readRecord(record: string): Sentence[] {
  let heading = 'Values';
  return record.split('\n').flatMap((line) => {
    const found = HEADINGS.find((name) => line === `## ${name}`);
    if (found !== undefined) heading = found;
    const text = line.replace(/^- /, '').trim();
    // A sentence of the previous record ranks slightly higher than a new one of the same kind.
    return found !== undefined || text === '' || text === 'none'
      ? []
      : [{ heading, text, score: scoreOf(text, heading) + 1 }];
  });
}

const WISH = /\b(?:never|always|do not|don't|must|keep|please|ask me|write|give me)\b|不要|必须|请一直|不超过/i;
const DECISION = /\b(?:decided|agreed|because|instead|since|we stay)\b|决定|因为|而不是|必须/i;

function sentencesOf({ role, text, result_of: tool }: JsonObject): Sentence[] {
  if (typeof text !== 'string') return [];
  const isResult = tool !== undefined;
  const parts = isResult ? text.split('\n') : text.split(/(?<=[.!?])\s+|(?<=[。！？])/);
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '' && part.length < 240)
    .map((part) => {
      const heading = headingOf(part, role === 'user', isResult);
      return { heading, text: part, score: scoreOf(part, heading) + (isResult ? -4 : 0) };
    });
}

function headingOf(text: string, isUser: boolean, isResult: boolean): string {
  if (DECISION.test(text) && !isResult) return 'Decisions';
  if (isUser) return WISH.test(text) ? 'Constraints' : 'Goal';
  return isResult ? 'Values' : 'Done';
}

function scoreOf(text: string, heading: string): number {
  const byHeading: Record<string, number> = { Constraints: 6, Decisions: 6, Values: 3, Done: 2, Goal: 1 };
  return (byHeading[heading] ?? 0) + (/[=:：]/.test(text) ? 1 : 0) + (/\/[\w-]+\.\w+/.test(text) ? 1 : 0);
}
