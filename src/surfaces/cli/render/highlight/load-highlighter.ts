import type { Emitter, HLJSApi, LanguageFn } from 'highlight.js';
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Role } from '../theme.ts';
import { type HighlightLine, type CodeRun, type HighlightContext, NO_CONTEXT } from './highlighter.ts';

/** A context beyond this limit is dropped, because the construct was most likely left open by mistake. */
const MAX_CONTEXT = { lines: 30, characters: 4000 };

/** Returns a function that finds the highlighter of a language by any of its names. */
export function createLanguageFinder(): (language: string) => HighlightLine | undefined {
  const highlighter = core.newInstance();
  // The emitter is called with `new`, which works because the function returns an object.
  highlighter.configure({ __emitter: createRunEmitter as unknown as new () => Emitter });
  for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
  return (language) =>
    highlighter.getLanguage(language) === undefined
      ? undefined
      : (line, context) => highlightLine(highlighter, language, line, context);
}

function highlightLine(
  highlighter: HLJSApi,
  language: string,
  line: string,
  context: HighlightContext,
): ReturnType<HighlightLine> {
  const before = context.lines.map((each) => `${each}\n`).join('');
  // Includes the line break, which ends a line comment.
  const result = highlighter.highlight(`${before}${line}\n`, { language, ignoreIllegals: true });
  const { runs: all } = result._emitter as RunEmitter;
  // After an internal error, the runs cover only the beginning of the line.
  const isWhole = result.errorRaised === undefined && !result.illegal;
  const runs = isWhole ? cutRuns(all, before.length, line.length) : [{ text: line, roles: [] }];
  return { runs, context: nextContext(context, line, openModes(result._top)) };
}

/**
 * A line becomes part of the context only while a construct is open, such as a comment or a multi-line string. Lines
 * inside it that open nothing more are not stored: the first line is enough to highlight the thousandth.
 */
function nextContext(context: HighlightContext, line: string, open: readonly object[]): HighlightContext {
  if (open.length === 0) return NO_CONTEXT;
  const same = open.length === context.open.length && open.every((mode, index) => mode === context.open[index]);
  if (same) return context;
  const lines = [...context.lines, line];
  const characters = lines.reduce((sum, each) => sum + each.length, 0);
  return lines.length > MAX_CONTEXT.lines || characters > MAX_CONTEXT.characters ? NO_CONTEXT : { lines, open };
}

/** Returns the open modes. The highlighter clones a mode when it enters it, so the prototype identifies it. */
function openModes(top: { parent?: object } | undefined): object[] {
  const modes: object[] = [];
  let mode = top;
  while (mode?.parent !== undefined) {
    modes.push(Object.getPrototypeOf(mode) as object);
    mode = mode.parent;
  }
  return modes;
}

/** Collects the output of the highlighter as runs instead of HTML. */
type RunEmitter = Emitter & { runs: CodeRun[]; openNode(scope: string): void; closeNode(): void };

function createRunEmitter(): RunEmitter {
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
    // The highlighter calls `openNode` and `closeNode`; languages with their own tokenizer call `startScope` and
    // `endScope`.
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

/** Returns `length` characters of the runs from `start`. */
function cutRuns(runs: readonly CodeRun[], start: number, length: number): CodeRun[] {
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

// Shared arrays, because runs of the same style are recognised by the identity of the array.
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
    // Code that is interpolated into a string is styled as code.
    subst: [],
  } satisfies Record<string, Role[]>),
);

/** A subscope such as `title.function` falls back to `title`. */
function roleOf(scope: string): readonly Role[] | undefined {
  return ROLES.get(scope) ?? ROLES.get(scope.split('.')[0] ?? '');
}

/** The most frequent languages of answers. Each registers its own aliases, such as `ts` and `html`. */
const LANGUAGES: Record<string, LanguageFn> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  powershell,
  python,
  ruby,
  rust,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
