import { fold } from './text/fold.ts';

/** An expression that is made when it is first asked: most texts need few of the many there are. */
export type Pattern = { test(text: string): boolean; exec(text: string): RegExpExecArray | null };

/** For the view of words: a space stands for whatever is between two of them. */
export function words(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)})(?![^ ])`));
}

/** The same at the very end of a text. */
export function lastWords(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)}) *$`));
}

/** For scripts that put no spaces between words. */
export function anywhere(source: string): Pattern {
  return lazy(() => new RegExp(fold(source).replaceAll(' ', ' *'), 'u'));
}

function spaced(source: string): string {
  return fold(source).replace(/ (\??)/g, (_, optional: string) => (optional === '' ? ' +' : ' *'));
}

function lazy(make: () => RegExp): Pattern {
  let made: RegExp | undefined;
  const expression = () => {
    made ??= make();
    return made;
  };
  return { test: (text) => expression().test(text), exec: (text) => expression().exec(text) };
}
