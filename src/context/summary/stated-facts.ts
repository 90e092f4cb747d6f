import { redactForModel, shorten } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { type CoveredText, isCovered } from './restore-facts.ts';

/** A decision, finding or open point in the words of the assistant, with the number of its message. */
export type StatedFact = { number: number; text: string };

const MIN_LENGTH = 6;
const MAX_LENGTH = 240;
/** Facts carried over in one summary; a share of its tokens limits them, too. */
const MAX_FACTS = 60;

/**
 * Words that mark a decision, a cause or a finding, and words that mark what is left to do. They cover the languages
 * that users write most; for others, the form of a sentence decides.
 */
const DECISION_CUES = [
  /(?<!\p{L})(?:decid|decision|chose|chosen|settled on|going with|instead|rather than|agreed|conclu)/iu,
  /(?<!\p{L})(?:root cause|because|caused by|turn(?:s|ed)? out|reason|the (?:bug|problem|cause|fix|issue) (?:is|was)|found (?:that|out)|confirmed|verified)\b/iu,
  /(?<!\p{L})(?:entschied|entscheid|beschlossen|stattdessen|anstatt|statt|weil|ursache|grund dafür|liegt an|festgestellt|herausgestellt)/iu,
  /(?<!\p{L})(?:decid|decisión|elegí|elegimos|en lugar de|en vez de|porque|la causa|debido a|resulta que)/iu,
  /(?<!\p{L})(?:décid|décision|choisi|au lieu de|plutôt que|parce que|à cause de|la cause)/iu,
  /(?<!\p{L})(?:decis|escolh|em vez de|invece di|perché|la causa|a causa)/iu,
  /решил|решен|вместо|потому что|причин|оказалось/i,
  /决定|決定|决策|选用|选择|采用|採用|改用|而不是|因为|因為|原因|根因|由于|发现|發現|确认|结论/,
  /決め|ことにし|の代わり|判明|결정|원인|때문|대신/,
];
const OPEN_CUES = [
  /(?<!\p{L})(?:to-?do|fixme|remaining|remains|still (?:open|missing|fails?|needs?|has to|have to)|not yet|left to do|next steps?|follow-?up|blocked|open (?:point|question)s?)\b/iu,
  /(?<!\p{L})(?:noch (?:offen|nicht|zu)|offen(?:er|e) punkt|übrig|bleibt zu|pendiente|falta|todavía|reste à|il reste|pas encore|pendente|da fare)/iu,
  /осталось|пока не|待办|待辦|剩余|剩下|尚未|还需|还没|下一步|残り|未対応|남은|아직/i,
];
/** Words of requirements. */
const RULE_CUE =
  /\b(?:never|always|must|only|don't|do not|please|keep|prefer|avoid|ask me|call it|nie|immer|muss|nur|bitte|nunca|siempre|jamais|toujours|sempre)\b|никогда|всегда|不要|不得|必须|一直|总是|请用|禁止|每次/i;
/** A line that is written as a fact: `Decision: …`, `- [ ] …`. */
const LABELLED = /^\s*(?:[-*]\s*)?(?:\[ \]|\*{0,2}[\p{L} -]{3,24}\*{0,2}[:：])\s*\S/u;
/** An exact value: a path, a number with its unit, a version, a time, an identifier. */
const VALUE = /[\w-]\/[\w.-]+|\b\w*\d[\d.:_-]*\w*\b|`[^`]+`/;

const ANY_VALUE = new RegExp(`(?:${VALUE.source})+`, 'g');

/** Whether a user statement holds a rule, a decision or an exact value, which stay valid, and not only a next step. */
export function isLasting(text: string): boolean {
  return RULE_CUE.test(text) || rankOf(text) > 0;
}

/** The facts that the assistant stated in these messages, in order, without secrets. */
export function findStatedFacts(numbered: readonly NumberedMessage[]): StatedFact[] {
  return numbered.flatMap(({ number, message }) => {
    if (message.role !== 'assistant' || message.content.trim() === '') return [];
    const isAnswer = !message.toolCalls?.length;
    return sentencesOf(message.content)
      .map((text) => ({ number, text: redactForModel(text) }))
      .filter(({ text }) => rankOf(text) > (isAnswer ? 0 : 1));
  });
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/```[^]*?(?:```|$)/g, '\n')
    .split(/\n+|(?<=[.!?])\s+|(?<=[。！？])/)
    .map((sentence) => sentence.replace(/^\s*(?:[-*]\s+|#+\s+|\d+[.)]\s+)?/, '').trim())
    .filter((sentence) => sentence.length >= MIN_LENGTH)
    .map((sentence) => shorten(sentence, MAX_LENGTH));
}

/** 3: a decision, a cause or an open point; 2: written as a fact; 1: has an exact value; 0: anything else. */
function rankOf(text: string): number {
  if ([...DECISION_CUES, ...OPEN_CUES].some((cue) => cue.test(text))) return 3;
  if (LABELLED.test(text)) return 2;
  return VALUE.test(text) ? 1 : 0;
}

/** Parses the lines of a previous summary. */
export function parseStatedFacts(lines: readonly string[]): StatedFact[] {
  return lines.flatMap((line) => {
    const [, number, text = ''] = /^- #(\d+): (.*)$/.exec(line) ?? [];
    return number === undefined ? [] : [{ number: Number(number), text }];
  });
}

/**
 * The lines of the facts that fit into `limit` tokens, in order: first those that are certainly facts, of these the
 * newest. What the record says already, or what was stated twice, is omitted.
 */
export function fitStatedFacts(
  facts: readonly StatedFact[],
  record: CoveredText,
  limit: number,
  tokensOf: (text: string) => number,
): string[] {
  const isRoutine = routineCheck(facts);
  const isNew = ({ text }: StatedFact) => !isCovered(text, record) && !isRoutine(text);
  const known = new Map(facts.filter(isNew).map((fact) => [fact.text, fact]));
  const ranked = [...known.values()]
    .toReversed()
    .map((fact) => ({ fact, rank: rankOf(fact.text) }))
    .toSorted((a, b) => b.rank - a.rank);
  const chosen = new Set<StatedFact>();
  let left = limit;
  for (const { fact } of ranked.slice(0, MAX_FACTS)) {
    const cost = tokensOf(renderFact(fact));
    if (cost > left) continue;
    left -= cost;
    chosen.add(fact);
  }
  return [...known.values()].filter((fact) => chosen.has(fact)).map(renderFact);
}

/** A sentence that recurs with other values, such as "I changed a.ts in 3 places.", reports routine work. */
const ROUTINE_COUNT = 3;

function routineCheck(facts: readonly StatedFact[]): (text: string) => boolean {
  const formOf = (text: string) => text.replace(ANY_VALUE, '…');
  const counts = new Map<string, number>();
  for (const { text } of facts) counts.set(formOf(text), (counts.get(formOf(text)) ?? 0) + 1);
  return (text) => rankOf(text) === 1 && (counts.get(formOf(text)) ?? 0) >= ROUTINE_COUNT;
}

function renderFact({ number, text }: StatedFact): string {
  return `- #${number}: ${text}`;
}
