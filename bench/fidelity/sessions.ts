import type { Message } from '../../src/base/index.ts';
import { createChance } from './chance.ts';
import { FACTS, type Fact } from './planted-facts.ts';

/** A long session in parts; it is compressed after each part. */
export type Session = { name: string; facts: readonly Fact[]; parts: readonly (readonly Message[])[] };

const PARTS = 3;
const TURNS_PER_PART = 14;

/** Deterministic: everything depends on a fixed seed. */
export function makeSessions(): Session[] {
  return Object.entries(FACTS).map(([name, facts], index) => {
    const next = createChance(index + 7);
    const perPart = Math.ceil(facts.length / PARTS);
    const parts = Array.from({ length: PARTS }, (_, part) =>
      makePart(part, facts.slice(part * perPart, (part + 1) * perPart), next, name),
    );
    return { name, facts, parts };
  });
}

type Chance = ReturnType<typeof createChance>;

function makePart(part: number, facts: readonly Fact[], next: Chance, name: string): Message[] {
  const chinese = /\p{Script=Han}/u.test(name);
  return Array.from({ length: TURNS_PER_PART }, (_, turn): Message[] => {
    const id = `${part}-${turn}`;
    // The facts of a part are in its first turns, so that each of them is removed in the end.
    const mentioned = facts.filter((_fact, index) => index * 2 === turn || index * 2 + 1 === turn).slice(0, 1);
    const of = (location: Fact['place']) =>
      mentioned.filter((fact) => fact.place === location).map(({ sentence }) => sentence);
    const fill = chinese ? fillChinese : fillEnglish;
    return [
      { role: 'user', content: [fill.wish(next, id), ...of('user')].join(' ') },
      ...steps(id, next, of('result'), fill),
      { role: 'assistant', content: [fill.answer(next, id), ...of('answer')].join(' ') },
    ];
  }).flat();
}

function steps(id: string, next: Chance, planted: readonly string[], fill: Filler): Message[] {
  return Array.from({ length: 2 + next(2) }, (_, step): Message[] => {
    const callId = `call-${id}-${step}`;
    const isRead = next(2) === 0;
    const lines = Array.from({ length: 12 + next(14) }, () => fill.line(next));
    // The fact is in the middle of tool output, where only its wording distinguishes it from other lines.
    if (step === 0) lines.splice(Math.floor(lines.length / 2), 0, ...planted);
    const args = isRead ? { path: `src/area${next(40)}/file${next(90)}.ts` } : { command: `make check-${next(500)}` };
    const name = isRead ? 'read_file' : 'terminal';
    return [
      { role: 'assistant', content: '', toolCalls: [{ id: callId, name, arguments: JSON.stringify(args) }] },
      { role: 'tool', toolCallId: callId, toolName: name, content: lines.join('\n') },
    ];
  }).flat();
}

type Filler = {
  wish(next: Chance, id: string): string;
  answer(next: Chance, id: string): string;
  line(next: Chance): string;
};

function pick(next: Chance, from: readonly string[]): string {
  return from[next(from.length)] ?? '';
}

const fillEnglish: Filler = {
  wish: (next, id) =>
    `${pick(next, ['Look at', 'Go on with', 'Check', 'Have another look at'])} part ${id} ${pick(next, ['and tell me what you see.', 'and mend what is broken.', 'again, something is off.'])}`,
  answer: (next, id) =>
    `Part ${id} is ${pick(next, ['fine', 'mended', 'as it should be'])} after ${2 + next(9)} changes in src/area${next(40)}/file${next(90)}.ts. ${pick(next, ['Nothing else stood out.', 'The checks pass.', 'There is one warning left.'])}`,
  line: (next) =>
    pick(next, [
      `2026-11-${10 + next(18)} INFO worker-${next(64)} handled request in ${next(900)} ms`,
      `  at step${next(400)} (src/area${next(40)}/file${next(90)}.ts:${next(500)}:${next(80)})`,
      `ok ${next(900)} - case ${next(900)} of suite ${next(60)}`,
      `export const value${next(900)} = compute(${next(99)}, ${next(99)});`,
      `warning: unused import in module ${next(300)}`,
    ]),
};

const fillChinese: Filler = {
  wish: (next, id) =>
    `请${pick(next, ['看一下', '继续处理', '再检查一遍'])}第 ${id} 部分，${pick(next, ['告诉我结果。', '有问题就改掉。', '我觉得还不对。'])}`,
  answer: (next, id) =>
    `第 ${id} 部分${pick(next, ['没有问题', '已经改好', '符合预期'])}，一共改了 ${2 + next(9)} 处。${pick(next, ['其他地方正常。', '检查全部通过。', '还剩一个警告。'])}`,
  line: (next) =>
    pick(next, [
      `第 ${next(900)} 行：地区编号 ${next(60)}，得分 ${next(100)}`,
      `问卷 ${next(9000)} 已读取，用时 ${next(400)} 毫秒`,
      `警告：第 ${next(300)} 列有空值`,
      `表格 ${next(40)}：平均值 ${next(100)}.${next(99)}，标准差 ${next(20)}.${next(99)}`,
    ]),
};
