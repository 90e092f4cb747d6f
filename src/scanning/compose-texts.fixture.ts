import { readFileSync } from 'node:fs';
import type { CorpusText } from './corpus.fixture.ts';

/**
 * Parts of sentences, separated by ` | `, and sentences with `{part}` in them. `{part:s}` and `{part:ing}` inflect the
 * verb with which the part begins.
 */
type Grammar = {
  parts: Record<string, string>;
  attacks: Record<string, string[]>;
  harmless: string[];
  neighbours: string[];
};

const ATTACKS_PER_FAMILY = 280;
const HARMLESS = 3500;

/** Texts that are composed of parts in all combinations, always the same ones. */
export function composeTexts(): CorpusText[] {
  const grammar = JSON.parse(readFileSync(new URL('corpus/composed.json', import.meta.url), 'utf8')) as Grammar;
  const random = createRandom();
  const expand = createExpander(grammar, random);
  const texts = new Map<string, CorpusText>();
  const add = (templates: readonly string[], count: number, family?: string) => {
    const end = texts.size + count;
    for (let attempt = 0; attempt < count * 20 && texts.size < end; attempt++) {
      const text = layOut(expand(pick(templates, random)), expand(pick(grammar.neighbours, random)), random);
      if (!texts.has(text)) texts.set(text, { text, isAttack: family !== undefined, family });
    }
  };
  for (const [family, templates] of Object.entries(grammar.attacks)) add(templates, ATTACKS_PER_FAMILY, family);
  add(grammar.harmless, HARMLESS);
  return [...texts.values()];
}

/** Templates with `(one|other)`, in which one of the alternatives is chosen. */
type Templates = { attacks: Record<string, string[]>; harmless: string[] };

const TEXTS_PER_TEMPLATE = 9;

/** Common attacks and harmless sentences in other languages, always the same ones. */
export function composeTranslations(): CorpusText[] {
  const file = new URL('corpus/translated.json', import.meta.url);
  const { attacks, harmless } = JSON.parse(readFileSync(file, 'utf8')) as Templates;
  const random = createRandom();
  const texts = new Map<string, CorpusText>();
  const add = (templates: readonly string[], family?: string) => {
    for (const template of templates)
      for (let count = 0; count < TEXTS_PER_TEMPLATE; count++) {
        const text = template.replace(/\(([^()]*)\)/g, (_, list: string) => pick(list.split('|'), random)).trim();
        texts.set(text, { text, isAttack: family !== undefined, family });
      }
  };
  for (const [family, templates] of Object.entries(attacks)) add(templates, family);
  add(harmless);
  return [...texts.values()];
}

type Random = () => number;

function createRandom(): Random {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const pick = (values: readonly string[], random: Random): string =>
  values[Math.floor(random() * values.length)] as string;

function createExpander({ parts, attacks }: Grammar, random: Random): (template: string) => string {
  const lists = new Map(Object.entries(parts).map(([name, list]) => [name, list.split(' | ')]));
  lists.set('attack', Object.values(attacks).flat());
  const expand = (template: string): string =>
    template.replace(/\{(\w+)(?::(s|ing))?\}/g, (_, name: string, form?: string) => {
      const list = lists.get(name);
      if (list === undefined) throw new Error(`composed.json has no part ${name}`);
      const text = expand(pick(list, random));
      return form === undefined ? text : inflect(text, form === 's' ? thirdPerson : participle);
    });
  return (template) => expand(template).replace(/\s+/g, ' ').trim();
}

function inflect(phrase: string, change: (verb: string) => string): string {
  const [verb = '', ...rest] = phrase.split(' ');
  return [change(verb), ...rest].join(' ');
}

function thirdPerson(verb: string): string {
  if (/(?:s|sh|ch|x|o)$/.test(verb)) return `${verb}es`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

function participle(verb: string): string {
  return /[^e]e$/.test(verb) ? `${verb.slice(0, -1)}ing` : `${verb}ing`;
}

/** Formats a sentence the way documents do: as a comment, a list item, a row of a table, and so on. */
function layOut(sentence: string, neighbour: string, random: Random): string {
  const capital = sentence.replace(/^[a-z]/, (first) => first.toUpperCase());
  const whole = /[.!?]$/.test(capital) ? capital : `${capital}.`;
  const layouts = [
    `# ${capital}`,
    `// ${sentence}`,
    `<!-- ${sentence} -->`,
    `- ${capital}`,
    `${neighbour} ${whole}`,
    `${whole} ${neighbour}`,
    `${neighbour} ${whole}`,
    `${whole} ${neighbour}`,
    `${pick(['Note', 'Important', 'Reminder', 'Policy', 'Tip', 'Step 3', 'FAQ', 'Footnote 2'], random)}: ${sentence}.`,
    `${pick(['2.1.0', 'v3', '1.4.7', '5.0'], random)}: ${sentence}`,
    `"""${capital}."""`,
    `"note": "${sentence}"`,
    `| ${pick(['rule', 'step', 'when'], random)} | ${sentence} |`,
    `${pick(['## Setup', '## Usage', '## Notes', '## For contributors'], random)}\n\n${whole}`,
  ];
  return random() < 0.45 ? whole : pick(layouts, random);
}
