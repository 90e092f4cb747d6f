import { type ChangedFile, isJsonObject, parseJson, type ToolStatus } from '../../../../base/index.ts';
import { counted } from '../../../text/counted.ts';

export type FinishedCall = {
  name: string;
  status: ToolStatus;
  content: string;
  /** What it made of files. */
  changes?: readonly ChangedFile[];
};

/** What came of a call, in a few words; empty where its mark says all. Not yet made harmless for a terminal. */
export function describeResult({ name, status, content, changes = [] }: FinishedCall): string {
  const parsed = content.startsWith('{') ? parseJson(content) : undefined;
  const error = isJsonObject(parsed) ? parsed['error'] : undefined;
  if (typeof error === 'string') return firstLine(error);
  if (status !== 'ok') return noteOf(content) ?? lastLine(content);
  return changes.length > 0 ? changeFigures(changes) : (RESULTS.get(name)?.(content) ?? '');
}

/** `+12 −3`, over all files. */
function changeFigures(changes: readonly ChangedFile[]): string {
  const [added, removed] = [sumOf(changes, 'added'), sumOf(changes, 'removed')];
  return [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(Boolean).join(' ');
}

function sumOf(changes: readonly ChangedFile[], figure: 'added' | 'removed'): number {
  return changes.reduce((sum, change) => sum + change[figure], 0);
}

const RESULTS = new Map<string, (content: string) => string>(
  Object.entries({
    terminal: (content: string) => noteOf(content) ?? (content === '(no output)' ? 'no output' : shortOutput(content)),
    read_file: (content: string) => {
      const lines = content.match(/^\d+\|/gm)?.length ?? 0;
      return lines === 0 ? firstLine(content) : counted(lines, 'line');
    },
    search_files: (content: string) => {
      const matches = content.match(/^\d+:/gm)?.length ?? 0;
      return matches === 0 ? shortOutput(content) : counted(matches, 'match', 'matches');
    },
  }),
);

/** One line is shown, of more it is said how many they are. */
function shortOutput(content: string): string {
  const lines = content.trimEnd().split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : counted(lines.length, 'line');
}

/** The last of what our tools say in brackets below an output, such as the exit code. */
function noteOf(content: string): string | undefined {
  return content.match(/^\[(exit code .*|stopped after .*|interrupted .*|ended by .*)\]$/m)?.[1];
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
