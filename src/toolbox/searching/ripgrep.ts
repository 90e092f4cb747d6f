import { join } from 'node:path';
import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { ToolInterrupted } from '../../tools/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import {
  EngineUnavailable,
  type FileMatches,
  type FoundLine,
  MAX_FILE_SIZE,
  MAX_FILES,
  type SearchEnd,
  type SearchEngine,
  type SearchScope,
  SKIPPED_FOLDERS,
  type ResultHandler,
} from './search-scope.ts';

/** Enough output for an error message. */
const KEPT_OUTPUT = 4000;

/** Searches with the ripgrep of the environment. */
export function createRipgrep(program: string): SearchEngine {
  return {
    async findFiles(scope, take) {
      let seen = 0;
      return runRipgrep(program, ['--files', ...scopeOptions(scope)], scope, (line) => {
        seen += 1;
        const path = join(scope.root, line);
        return !scope.accepts(path) || (seen <= MAX_FILES && take(path));
      });
    },
    findLines(scope, { rust }, around, take) {
      const read = createEventReader(scope.root, accepted(scope, take));
      const options = ['--json', '--crlf', `--max-filesize=${MAX_FILE_SIZE}`, `--context=${around}`];
      return runRipgrep(program, [...options, ...scopeOptions(scope), `--regexp=${rust}`], scope, read);
    },
  };
}

function accepted(scope: SearchScope, take: ResultHandler<FileMatches>): ResultHandler<FileMatches> {
  return (found) => !scope.accepts(found.path) || take(found);
}

/** The user's ripgrep configuration is ignored, so that the result depends on the files alone. */
function scopeOptions(scope: SearchScope): string[] {
  return [
    '--no-config',
    '--no-messages',
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--sort=path',
    '--color=never',
    ...(scope.hidden ? ['--hidden'] : []),
    ...(scope.parents ? [] : ['--no-ignore-parent']),
    ...SKIPPED_FOLDERS.map((folder) => `--glob=!${folder}/`),
    ...(scope.nameGlob === undefined ? [] : [`--type-add=wanted:${scope.nameGlob}`, '--type=wanted']),
  ];
}

/** Runs ripgrep in the root of the scope and stops it as soon as there are enough results. */
async function runRipgrep(
  program: string,
  options: string[],
  scope: SearchScope,
  take: ResultHandler<string>,
): Promise<SearchEnd> {
  const enough = new AbortController();
  let rest = '';
  let failed: Error | undefined;
  const onOutput = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      if (!enough.signal.aborted && !lines.every((line) => line === '' || take(line))) enough.abort();
    } catch (thrown) {
      // Rethrown below: an exception in a stream callback would crash the process.
      failed = thrown instanceof Error ? thrown : new Error(errorMessage(thrown));
      enough.abort();
    }
  };
  const { exitCode, ended, output } = await scope.environment.run(commandLine(program, options), {
    timeoutMs: Math.max(scope.deadline - performance.now(), 1),
    signal: AbortSignal.any([scope.signal, enough.signal]),
    workingDirectory: scope.root,
    maxOutput: KEPT_OUTPUT,
    onOutput,
  });
  if (failed !== undefined) throw failed;
  if (scope.signal.aborted) throw new ToolInterrupted('The search was interrupted.');
  if (enough.signal.aborted) return { complete: true };
  if (ended === 'timeout') return { complete: false };
  // Exit code 1 means no match; 2 may only mean that some file could not be read.
  if (exitCode === 0 || exitCode === 1 || (exitCode === 2 && !/^(?:rg: |error: )/m.test(output)))
    return { complete: true };
  throw new EngineUnavailable(output);
}

/** `command` bypasses shell functions and aliases named rg. */
function commandLine(program: string, options: readonly string[]): string {
  return ['command', program, ...options, './'].map(quoteShellWord).join(' ');
}

/** Parses ripgrep's JSON events. A file is reported at its `end` event, which says whether it is binary. */
function createEventReader(root: string, take: ResultHandler<FileMatches>): ResultHandler<string> {
  let lines: FoundLine[] = [];
  return (line) => {
    const event = parse(line);
    const data = isJsonObject(event?.['data']) ? event['data'] : {};
    switch (event?.['type']) {
      case 'begin':
        lines = [];
        return true;
      case 'match':
      case 'context':
        lines.push({ number: Number(data['line_number']), text: lineOf(data), isMatch: event['type'] === 'match' });
        return true;
      case 'end':
        // The file contains a NUL byte, so it is binary.
        if (data['binary_offset'] !== null || !lines.some(({ isMatch }) => isMatch)) return true;
        return take({ path: join(root, textOf(data['path'])), lines });
      default:
        return true;
    }
  };
}

/** Other lines are error messages from stderr. */
function parse(line: string): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isJsonObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(data: JsonObject): string {
  return textOf(data['lines']).replace(/\r?\n$/, '');
}

/** Text that is not UTF-8 comes as base64. */
function textOf(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return '';
  const { text, bytes } = value;
  if (typeof text === 'string') return text;
  return typeof bytes === 'string' ? new TextDecoder().decode(Buffer.from(bytes, 'base64')) : '';
}
