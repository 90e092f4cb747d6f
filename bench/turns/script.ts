import type { Reply, ReplyToolCall } from '../../src/testing/index.ts';
import { editOf, filesOf, TASKS } from './workspace.ts';

/** How the model of a variant works. Everything else is the same in all variants. */
export type Variant = {
  label: string;
  /** Reads of the three files of a task: one message each, three calls in one message, or one call. */
  reads: 'messages' | 'calls' | 'paths';
  /** Files that were read before are shown as a diff after a change. */
  differences: boolean;
  /** Logs of tests are shortened to their beginning, failures and end. */
  excerpts: boolean;
};

const BEFORE: Variant = {
  label: 'one read per message, whole texts',
  reads: 'messages',
  differences: false,
  excerpts: false,
};

export const VARIANTS: readonly Variant[] = [
  BEFORE,
  { ...BEFORE, label: 'three reads in one message', reads: 'calls' },
  { ...BEFORE, label: 'one read of three paths', reads: 'paths' },
  { ...BEFORE, label: 'diffs of changed files', differences: true },
  { ...BEFORE, label: 'excerpts of test logs', excerpts: true },
  { label: 'all of them', reads: 'paths', differences: true, excerpts: true },
];

/** A request of the user, and the messages with which the model works on it. */
export type Task = { userMessage: string; replies: readonly Reply[] };

export function createTasks(variant: Variant): Task[] {
  return Array.from({ length: TASKS }, (_, task) => ({
    userMessage: `The value of part ${task} is read before it is stored. Find the cause, fix it and run the tests.`,
    replies: [...workOn(task, variant), { text: `Part ${task} stores its value first now, and all tests pass.` }],
  }));
}

/** Reads three files, changes two, looks at the result, and runs the tests until they pass. */
function workOn(task: number, variant: Variant): Reply[] {
  const files = filesOf(task);
  const [module, caller] = files;
  return [
    ...firstReads(files, variant),
    messageOf(edit(module, 40)),
    messageOf(edit(caller, 90)),
    ...[module, caller].map((path, index) => messageOf(readAgain(path, task * 10 + index, variant))),
    messageOf(runTests(`failed-${task}`, variant)),
    messageOf(edit(module, 120)),
    messageOf(readAgain(module, task * 10 + 5, variant)),
    messageOf(runTests(`passed-${task}`, variant)),
  ];
}

const messageOf = (...toolCalls: ReplyToolCall[]): Reply => ({ toolCalls });

function firstReads(files: readonly string[], { reads }: Variant): Reply[] {
  if (reads === 'paths') return [messageOf({ name: 'read_file', arguments: { path: [...files] } })];
  const calls = files.map((path) => ({ name: 'read_file', arguments: { path } }));
  return reads === 'calls' ? [messageOf(...calls)] : calls.map((call) => messageOf(call));
}

/** A range that was not read before is always shown in full. */
function readAgain(path: string, count: number, { differences }: Variant): ReplyToolCall {
  return { name: 'read_file', arguments: differences ? { path } : { path, limit: 1000 + count } };
}

function edit(path: string, line: number): ReplyToolCall {
  const { before, after } = editOf(path, line);
  return { name: 'patch', arguments: { path, old_string: before, new_string: after } };
}

/** `cat` prints the same log, but is not known as a program that runs tests. */
function runTests(log: string, { excerpts }: Variant): ReplyToolCall {
  return { name: 'terminal', arguments: { command: excerpts ? `./run-tests.sh ${log}` : `cat logs/${log}.txt` } };
}
