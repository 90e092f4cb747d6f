import type { Emitter, HLJSApi } from 'highlight.js';
import core from 'highlight.js/lib/core';
import { type CodeColour, type ColourContext, NO_CONTEXT } from './code-colours.ts';
import { LANGUAGES } from './languages.ts';
import { createRunEmitter, cutRuns, type RunEmitter } from './run-emitter.ts';

/** A context beyond this is given up: what it opened was most likely never meant to stay open. */
const MOST_CONTEXT = { lines: 30, characters: 4000 };

/** Finds what colours the lines of a language, by any of its names. */
export function createColourFinder(): (language: string) => CodeColour | undefined {
  const highlighter = core.newInstance();
  // It is called with `new`, which a function that returns an object does not mind.
  highlighter.configure({ __emitter: createRunEmitter as unknown as new () => Emitter });
  for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
  return (language) =>
    highlighter.getLanguage(language) === undefined
      ? undefined
      : (line, context) => colourLine(highlighter, language, line, context);
}

function colourLine(
  highlighter: HLJSApi,
  language: string,
  line: string,
  context: ColourContext,
): ReturnType<CodeColour> {
  const before = context.lines.map((each) => `${each}\n`).join('');
  // With its line break, because that is what ends a comment.
  const result = highlighter.highlight(`${before}${line}\n`, { language, ignoreIllegals: true });
  const { runs: all } = result._emitter as RunEmitter;
  // A language that failed within has given out only the beginning.
  const isWhole = result.errorRaised === undefined && !result.illegal;
  const runs = isWhole ? cutRuns(all, before.length, line.length) : [{ text: line, roles: [] }];
  return { runs, context: nextContext(context, line, openModes(result._top)) };
}

/**
 * Lines are needed again for those after them only while something is open, such as a comment or a text over several
 * lines. What is within it and opens nothing more need not be kept: its first line is enough to colour the thousandth.
 */
function nextContext(context: ColourContext, line: string, open: readonly object[]): ColourContext {
  if (open.length === 0) return NO_CONTEXT;
  const same = open.length === context.open.length && open.every((mode, index) => mode === context.open[index]);
  if (same) return context;
  const lines = [...context.lines, line];
  const characters = lines.reduce((sum, each) => sum + each.length, 0);
  return lines.length > MOST_CONTEXT.lines || characters > MOST_CONTEXT.characters ? NO_CONTEXT : { lines, open };
}

/** The modes that are open. Each is made anew from one of the language's own when it is entered, so that one counts. */
function openModes(top: { parent?: object } | undefined): object[] {
  const modes: object[] = [];
  let mode = top;
  while (mode?.parent !== undefined) {
    modes.push(Object.getPrototypeOf(mode) as object);
    mode = mode.parent;
  }
  return modes;
}
