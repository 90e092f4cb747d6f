import type { Completion } from '../../../slash/index.ts';
import type { Completions } from '../../terminal/completions.ts';
import { showable } from '../../style.ts';
import { type AutocompleteProvider, fuzzyFilter } from '../pi-tui.ts';
import { listFiles } from './list-files.ts';

type ProviderOptions = { workingDirectory: string; completions: Completions; now?(): number };

/** What stands before the cursor and could be completed. */
type Typed =
  | { kind: 'command'; prefix: string }
  | { kind: 'argument'; command: string; prefix: string }
  | { kind: 'file'; prefix: string; mark: '@' | '' };

const MOST_SHOWN = 50;
/** So long a list of files is good enough, so that each letter does not read the disk. */
const FRESH_MS = 5_000;

/** Completion while typing: `/command`, its argument, `@path`; with Tab any path. */
export function createCompletionProvider(options: ProviderOptions): AutocompleteProvider {
  const files = createFileSource(options);
  /** What stood before the cursor when the list was made that is shown now. */
  let offeredFor: string | undefined;
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force = false }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const typed = readTyped(before, cursorLine === 0, force);
      if (typed === undefined) return null;
      // Completion is a help and never in the way: what cannot be looked up is not offered.
      const found = await lookUp(typed, { ...options, files, signal }).catch(() => []);
      const items = found
        .filter(({ value }) => isTypable(value))
        .slice(0, MOST_SHOWN)
        .map(({ value, about }) => toItem(typed, value, about));
      if (items.length === 0) return null;
      offeredFor = before;
      return { items, prefix: typed.prefix };
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? '';
      // Whoever types fast is ahead of the list: what it offers is not for what stands there now.
      if (line.slice(0, cursorCol) !== offeredFor) return { lines, cursorLine, cursorCol };
      const before = line.slice(0, cursorCol - prefix.length) + item.value;
      const after = line.slice(cursorCol);
      return {
        lines: lines.with(cursorLine, before + after),
        ...{ cursorLine, cursorCol: before.length },
      };
    },
  };
}

/** What a line up to the cursor ends with; undefined where nothing of it can be completed. */
export function readTyped(before: string, isFirstLine: boolean, force: boolean): Typed | undefined {
  const command = isFirstLine ? /^\s*(\/[^\s/]*)$/.exec(before)?.[1] : undefined;
  if (command !== undefined) return { kind: 'command', prefix: command };
  const file = /(?:^|\s)(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (file !== undefined) return { kind: 'file', prefix: file, mark: '@' };
  const [, name, argument] = (isFirstLine && /^\s*\/([^\s/]+)\s+(.*)$/.exec(before)) || [];
  if (name !== undefined) return { kind: 'argument', command: name, prefix: argument ?? '' };
  return force ? { kind: 'file', prefix: /\S*$/.exec(before)?.[0] ?? '', mark: '' } : undefined;
}

type Sources = ProviderOptions & { files(signal: AbortSignal): Promise<readonly string[]>; signal: AbortSignal };

async function lookUp(typed: Typed, { completions, files, signal }: Sources): Promise<readonly Completion[]> {
  switch (typed.kind) {
    case 'command':
      return nearest(await completions.commands(), typed.prefix.slice(1));
    case 'argument':
      return unlessExact(await completions.argumentsOf(typed.command, typed.prefix), typed.prefix);
    case 'file': {
      const wanted = typed.prefix.slice(typed.mark.length).replace(/^"/, '').replace(/^\.\//, '');
      const values = (await files(signal)).map((value) => ({ value }));
      return wanted === '' ? values : unlessExact(nearest(values, wanted), wanted);
    }
  }
}

/** What is typed in full is not offered, so that Enter sends it. */
function unlessExact(found: readonly Completion[], typed: string): readonly Completion[] {
  return found.some(({ value }) => value === typed) ? [] : found;
}

/** Those that begin with what was typed come first, then those that have its letters in this order. */
function nearest(all: readonly Completion[], typed: string): Completion[] {
  const beginning = new Set(all.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase())));
  const others = fuzzyFilter([...all], typed, ({ value }) => value).filter((one) => !beginning.has(one));
  return [...beginning, ...others];
}

function toItem(typed: Typed, value: string, about: string | undefined) {
  const description = about === undefined ? {} : { description: showable(about).replace(/\s+/g, ' ') };
  return { value: written(typed, value), label: showable(value), ...description };
}

/** What nobody could type has no place in the line: names of files may have line breaks and whole escape sequences. */
function isTypable(value: string): boolean {
  return showable(value) === value && !value.includes('\n');
}

/** As it stands in the line: with its mark, in quotes where it has spaces, and room for what follows. */
function written(typed: Typed, value: string): string {
  if (typed.kind === 'command') return `/${value} `;
  if (typed.kind === 'argument') return value;
  const path = /\s/.test(value) ? `"${value}"` : value;
  return `${typed.mark}${path}${value.endsWith('/') ? '' : ' '}`;
}

function createFileSource({ workingDirectory, now = Date.now }: ProviderOptions) {
  let last: { files: readonly string[]; at: number } | undefined;
  return async (signal: AbortSignal) => {
    if (last !== undefined && now() - last.at < FRESH_MS) return last.files;
    const files = await listFiles(workingDirectory, signal);
    if (!signal.aborted) last = { files, at: now() };
    return files;
  };
}
