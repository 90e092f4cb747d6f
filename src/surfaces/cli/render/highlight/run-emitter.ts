import type { Emitter } from 'highlight.js';
import type { Role } from '../theme.ts';
import type { CodeRun } from './code-colours.ts';

/** Takes what the highlighter finds as runs of text, instead of as a page of HTML. */
export type RunEmitter = Emitter & { runs: CodeRun[]; openNode(scope: string): void; closeNode(): void };

export function createRunEmitter(): RunEmitter {
  const runs: CodeRun[] = [];
  const roles: (readonly Role[])[] = [];
  const open = (scope: string) => {
    roles.push(roleOf(scope) ?? roles.at(-1) ?? NO_ROLES);
  };
  const close = () => {
    roles.pop();
  };
  return {
    runs,
    // The highlighter itself uses the second pair, languages with a tokenizer of their own the first.
    startScope: open,
    endScope: close,
    openNode: open,
    closeNode: close,
    addText(text) {
      if (text !== '') runs.push({ text, roles: roles.at(-1) ?? NO_ROLES });
    },
    __addSublanguage(emitter) {
      runs.push(...(emitter as RunEmitter).runs);
    },
    toHTML: () => '',
    finalize: () => true,
  };
}

/** The part of the runs that begins at `start`. */
export function cutRuns(runs: readonly CodeRun[], start: number, length: number): CodeRun[] {
  const cut: CodeRun[] = [];
  let at = 0;
  for (const { text, roles } of runs) {
    const piece = text.slice(Math.max(0, start - at), Math.max(0, start + length - at));
    if (piece !== '') cut.push({ text: piece, roles });
    at += text.length;
  }
  return cut;
}

const NO_ROLES: readonly Role[] = [];

// Arrays that stay the same, because runs of one look are found by them.
const ROLES = new Map<string, readonly Role[]>(
  Object.entries({
    keyword: ['keyword'],
    built_in: ['type'],
    type: ['type'],
    literal: ['number'],
    number: ['number'],
    string: ['string'],
    regexp: ['string'],
    symbol: ['string'],
    char: ['string'],
    comment: ['comment'],
    doctag: ['comment'],
    meta: ['meta'],
    title: ['title'],
    section: ['heading'],
    name: ['keyword'],
    tag: ['type'],
    attr: ['attribute'],
    attribute: ['attribute'],
    'selector-tag': ['keyword'],
    'selector-id': ['title'],
    'selector-class': ['title'],
    variable: ['variable'],
    'template-variable': ['variable'],
    bullet: ['bullet'],
    code: ['inlineCode'],
    emphasis: ['emphasis'],
    strong: ['bold'],
    quote: ['quote'],
    link: ['link'],
    addition: ['added'],
    deletion: ['removed'],
    // What stands within a text and is code looks like code.
    subst: [],
  } satisfies Record<string, Role[]>),
);

/** `title.function` is a kind of `title`. */
function roleOf(scope: string): readonly Role[] | undefined {
  return ROLES.get(scope) ?? ROLES.get(scope.split('.')[0] ?? '');
}
