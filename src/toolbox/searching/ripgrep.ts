import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { ToolInterrupted } from '../../tools/index.ts';
import { quoteWord } from '../../util/index.ts';
import { EngineUnavailable, type FileMatches, type SearchEnd, type SearchEngine, type Take } from './engine.ts';
import { createEventReader } from './ripgrep-events.ts';
import { MAX_FILE_SIZE, MAX_FILES, type SearchScope, SKIPPED_FOLDERS } from './search-scope.ts';

/** Enough to tell why it failed. */
const KEPT_OUTPUT = 4000;

/** Ripgrep, as a program of the environment that is searched. */
export function createRipgrep(program: string): SearchEngine {
  return {
    async findFiles(scope, take) {
      let seen = 0;
      return run(program, ['--files', ...scopeOptions(scope)], scope, (line) => {
        seen += 1;
        const path = join(scope.root, line);
        return !scope.accepts(path) || (seen <= MAX_FILES && take(path));
      });
    },
    findLines(scope, { rust }, around, take) {
      const read = createEventReader(scope.root, accepted(scope, take));
      const options = ['--json', '--crlf', `--max-filesize=${MAX_FILE_SIZE}`, `--context=${around}`];
      return run(program, [...options, ...scopeOptions(scope), `--regexp=${rust}`], scope, read);
    },
  };
}

function accepted(scope: SearchScope, take: Take<FileMatches>): Take<FileMatches> {
  return (found) => !scope.accepts(found.path) || take(found);
}

/** Nothing that a person has set up for ripgrep counts: the answer depends on the files alone. */
function scopeOptions(scope: SearchScope): string[] {
  return [
    ...['--no-config', '--no-messages', '--no-ignore-global', '--no-ignore-exclude', '--sort=path', '--color=never'],
    ...(scope.hidden ? ['--hidden'] : []),
    ...(scope.parents ? [] : ['--no-ignore-parent']),
    ...SKIPPED_FOLDERS.map((folder) => `--glob=!${folder}/`),
    ...(scope.nameGlob === undefined ? [] : [`--type-add=wanted:${scope.nameGlob}`, '--type=wanted']),
  ];
}

/** Runs it in the folder that is searched; ends it as soon as there is enough. */
async function run(program: string, options: string[], scope: SearchScope, take: Take<string>): Promise<SearchEnd> {
  const enough = new AbortController();
  let rest = '';
  let failed: Error | undefined;
  const onOutput = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      if (!enough.signal.aborted && !lines.every((line) => line === '' || take(line))) enough.abort();
    } catch (thrown) {
      // It is thrown where someone waits for it, not inside of a stream.
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
  if (scope.signal.aborted) throw new ToolInterrupted('Interrupted while searching.');
  if (enough.signal.aborted) return { complete: true };
  if (ended === 'timeout') return { complete: false };
  // 1 is nothing found; 2 may also be a file that could not be read, beside all that was found.
  if (exitCode === 0 || exitCode === 1 || (exitCode === 2 && !/^(?:rg: |error: )/m.test(output)))
    return { complete: true };
  throw new EngineUnavailable(output);
}

/** `command`, because a function or alias of the person's may have the name. */
function commandLine(program: string, options: readonly string[]): string {
  return ['command', program, ...options, './'].map(quoteWord).join(' ');
}
