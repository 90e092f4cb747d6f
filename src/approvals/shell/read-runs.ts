import { basename, dirname } from 'node:path';
import { MAX_SCRIPT_BYTES } from '../scripts/earlier-texts.ts';
import { findRuns } from '../scripts/find-runs.ts';
import type { ScriptDisk, ScriptFile } from '../scripts/script-disk.ts';
import type { ScriptOrigin, ScriptRun } from '../scripts/script-run.ts';
import { addCommand, type CommandContext } from './read-command.ts';
import { readScript } from './read-shell.ts';
import { NO_PIPELINE_INPUT, type Reader, type ReaderPosition, recordProblem } from './reader.ts';
import { executableName } from './shell-command.ts';

/** A script that runs a script that runs a script. */
const MAX_DEPTH = 3;
/** In scripts, loops are read with few values. */
const SCRIPT_DEPTH = 3;
/** The number of commands that are read in one file. */
const MAX_COMMANDS = 1500;
const TOO_LONG = 'a script too long to check';
const TOO_MANY = 'too many scripts to check';

/**
 * Reads the files that a command runs. Files on another machine or in a container cannot be read from here. With
 * `scriptIsRead`, the caller has already read the script that the line wrote.
 */
export function readRuns(
  reader: Reader,
  words: readonly string[],
  around: CommandContext,
  place: ReaderPosition,
  scriptIsRead: boolean,
): void {
  const { scripts: disk } = reader.start;
  if (disk === undefined || place.remote !== undefined || place.suspected) return;
  const [word = '', ...args] = words;
  const { redirects, fedBy, statement, input } = around;
  const runs = findRuns(diskAfter(reader, disk), {
    word,
    name: executableName(word),
    args,
    redirects,
    fedBy,
    directory: place.directory,
    input,
    program: place.script?.path,
    statement,
  });
  for (const run of runs) {
    const isRead = scriptIsRead && reader.files.has(run.file.path);
    if (!isRead && !place.running.includes(run.key)) readRun(reader, run, around, place);
  }
}

/** The files as they are when the commands before this one have run, as far as the line shows their text. */
function diskAfter(reader: Reader, disk: ScriptDisk): ScriptDisk {
  return {
    read(path) {
      const written = reader.files.get(path);
      // A file that the line copies or links has the text of the original.
      if (written === undefined) return disk.read(reader.copied.get(path) ?? path);
      return written.text === undefined ? undefined : writtenScript(path, written.text, disk.read(path));
    },
    list: (folder) => {
      const written = [...reader.files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
      return written.length === 0 ? disk.list(folder) : [...new Set([...written, ...disk.list(folder)])];
    },
  };
}

function writtenScript(path: string, text: string, known: ScriptFile | undefined): ScriptFile {
  const before = known?.isChanged === false ? known.text : known?.before;
  const isCut = text.length > MAX_SCRIPT_BYTES;
  return { path, text: text.slice(0, MAX_SCRIPT_BYTES), isCut, isChanged: true, before, isExecutable: true };
}

function readRun(reader: Reader, run: ScriptRun, around: CommandContext, place: ReaderPosition): void {
  const { file } = run;
  const problems = reader.reading.problems.length;
  const left = reader.budget.commands;
  reader.budget.commands = Math.min(left, MAX_COMMANDS);
  const granted = reader.budget.commands;
  reader.budget.runs -= 1;
  if (place.running.length >= MAX_DEPTH || reader.budget.runs < 0) recordProblem(reader, TOO_MANY);
  else {
    if (file.isCut) recordProblem(reader, TOO_LONG);
    tryReading(run, () =>
      readContent(reader, run, around, {
        ...place,
        depth: Math.max(place.depth + 1, SCRIPT_DEPTH),
        directory: run.directory ?? place.directory,
        running: [...place.running, run.key],
        script: { path: file.path, isNew: run.isNew },
        pipelineInput: NO_PIPELINE_INPUT,
      }),
    );
  }
  reader.budget.commands = left - granted + Math.max(reader.budget.commands, 0);
  // A file that the user had before is judged as far as it can be read.
  if (!file.isChanged) reader.reading.problems.splice(problems);
}

/** The parser overflows its stack on some texts. This is a reason to ask only if the text is from this session. */
function tryReading({ file }: ScriptRun, read: () => void): void {
  try {
    read();
  } catch (thrown) {
    if (file.isChanged || !(thrown instanceof RangeError || thrown instanceof SyntaxError)) throw thrown;
  }
}

function readContent(
  reader: Reader,
  run: ScriptRun,
  around: CommandContext,
  place: ReaderPosition & { script: ScriptOrigin },
): void {
  if ('words' in run) {
    const { directory, script } = place;
    const context = { ...around, input: run.input, redirects: [], fedBy: [], statement: '', directory, script };
    return addCommand(reader, run.words, context, place);
  }
  const variables = run.isSourced ? place.variables : new Map(place.variables);
  const { parameters = [] } = run;
  if (!run.isSourced) variables.set('0', run.file.path);
  for (const [index, value] of parameters.entries()) variables.set(String(index + 1), value);
  if (parameters.length > 0) for (const name of ['@', '*']) variables.set(name, parameters.join(' '));
  readScript(reader, run.script, { ...place, variables });
}
