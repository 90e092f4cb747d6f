import { dirname, resolve } from 'node:path';
import { optionValues } from '../shell/shell-command.ts';
import type { RunningCommand } from './find-runs.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import { isNewIn, type ScriptRun } from './script-run.ts';

const MAX_PARENTS = 6;
const JUST_FILES = ['justfile', 'Justfile', '.justfile', 'JUSTFILE'];
const TASK_FILES = [
  'Taskfile.yml',
  'taskfile.yml',
  'Taskfile.yaml',
  'taskfile.yaml',
  'Taskfile.dist.yml',
  'Taskfile.dist.yaml',
];

/** A named list of command lines, and the other tasks that it runs. */
type Task = { name: string; lines: string[]; others: string[] };

/** The commands of a justfile or Taskfile that `just` and `task` run. */
export function taskRuns(disk: ScriptDisk, { name, args, directory }: RunningCommand): ScriptRun[] {
  const isJust = name === 'just';
  if (args.some((arg) => /^(?:-l|--list|--summary|--show|--dump|-n|--dry-run|--dry|--help|--version)$/.test(arg)))
    return [];
  const [named] = optionValues(args, isJust ? /^(?:-f|--justfile=?)(.*)$/ : /^(?:-t|--taskfile=?)(.*)$/);
  const [folder = '.'] = optionValues(args, /^(?:-d|--dir=?|--working-directory=?)(.*)$/);
  const start = resolve(directory, folder);
  const file =
    named === undefined ? findUpwards(disk, start, isJust ? JUST_FILES : TASK_FILES) : disk.read(resolve(start, named));
  if (file === undefined) return [];
  const tasks = isJust ? parseJustfile(file.text) : parseTaskfile(file.text);
  const words = args.filter((arg) => !arg.startsWith('-') && arg !== named && arg !== folder && !arg.includes('='));
  const [first] = tasks;
  const wanted = words.length > 0 ? words : isJust ? (first === undefined ? [] : [first.name]) : ['default'];
  const isNew = isNewIn(file);
  return collect(tasks, wanted).map((line) => {
    const fresh = isNew(line);
    return {
      file,
      key: `${file.path} ${line}`,
      isNew: () => fresh,
      script: plain(line),
      directory: dirname(file.path),
    };
  });
}

/** Expressions in `{{…}}` have unknown values. */
function plain(line: string): string {
  return line.replace(/\{\{\s*\.?(\w+)[^{}]*\}\}/g, (_, name: string) => `\${${name}}`).replace(/^[@-]+\s*/, '');
}

function collect(tasks: readonly Task[], wanted: readonly string[]): string[] {
  const queue = [...wanted];
  const seen = new Set<string>();
  const lines: string[] = [];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const task = tasks.find((one) => one.name === name);
    if (task === undefined || seen.has(name)) continue;
    seen.add(name);
    lines.push(...task.lines);
    queue.push(...task.others);
  }
  return lines;
}

function findUpwards(disk: ScriptDisk, folder: string, names: readonly string[]): ScriptFile | undefined {
  let at = folder;
  for (let level = 0; level <= MAX_PARENTS; level += 1) {
    for (const name of names) {
      const file = disk.read(resolve(at, name));
      if (file !== undefined) return file;
    }
    at = dirname(at);
  }
  return undefined;
}

/** Recipes: `name parameters: dependencies`, followed by indented lines. */
function parseJustfile(text: string): Task[] {
  const tasks: Task[] = [];
  let task: Task | undefined;
  for (const line of text.replace(/\\\n\s*/g, ' ').split('\n')) {
    const header = /^@?([A-Za-z_][\w-]*)(?:\s+[^:]*)?:(?!=)(.*)$/.exec(line);
    if (/^\s+\S/.test(line)) task?.lines.push(line.trim());
    else if (header) {
      const others = (header[2] ?? '').replace(/&&/g, ' ').match(/[A-Za-z_][\w-]*/g) ?? [];
      task = { name: header[1] ?? '', lines: [], others };
      tasks.push(task);
    } else if (/^\S/.test(line)) task = undefined;
  }
  return tasks;
}

/** Reads the part of YAML that Taskfiles use for commands: lists of texts, `cmd:`, `task:`, and blocks after `|`. */
function parseTaskfile(text: string): Task[] {
  const tasks: Task[] = [];
  let inTasks = false;
  let task: Task | undefined;
  let nameIndent = -1;
  for (const line of text.split('\n')) {
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (/^\S/.test(line)) inTasks = line.startsWith('tasks:');
    else if (inTasks && line.trim() !== '' && !/^\s*#/.test(line)) {
      if (nameIndent < 0) nameIndent = indent;
      const named = indent === nameIndent ? /^\s*["']?([\w:.*-]+?)["']?:\s*(.*)$/.exec(line) : null;
      if (named) {
        task = { name: named[1] ?? '', lines: [], others: [] };
        tasks.push(task);
        if ((named[2] ?? '') !== '') task.lines.push(unquoteYaml(named[2] ?? ''));
      } else if (task) addTaskLine(task, line.trim());
    }
  }
  return tasks;
}

function addTaskLine(task: Task, line: string): void {
  const text = line.replace(/^-\s+/, '');
  const other = /^(?:task|deps):\s*(.*)$/.exec(text)?.[1];
  if (other !== undefined) return void task.others.push(...(other.match(/[\w:.-]+/g) ?? []));
  const command = /^(?:cmd|defer|sh):\s*(.*)$/.exec(text)?.[1] ?? text;
  // Other keys describe the task: `desc:`, `sources:`, `vars:`.
  if (
    /^(?:desc|summary|silent|dir|sources|generates|vars|env|cmds|status|method|run|internal|platforms|aliases|preconditions|msg|ignore_error|[\w-]+:$)\b:?/.test(
      command,
    ) &&
    command === text &&
    /^[\w-]+:/.test(text)
  )
    return;
  task.lines.push(unquoteYaml(command));
  if (line.startsWith('- ') && /^[\w:.-]+$/.test(text)) task.others.push(text);
}

function unquoteYaml(text: string): string {
  return text.replace(/^[|>][-+]?$/, '').replace(/^(["'])(.*)\1$/, '$2');
}
