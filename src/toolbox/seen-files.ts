import { hash } from 'node:crypto';
import type { AgentToolState, FileStat, SeenFile, ShownText, ToolContext } from '../contracts/index.ts';
import { redactForModel, showControls } from '../util/index.ts';
import { differenceToShown } from './reading/difference.ts';
import type { FoundFile } from './text-file.ts';

/** Identifies a version of a file without reading it. */
export function versionOf({ modifiedMs, size }: FileStat): string {
  return `${modifiedMs}:${size}`;
}

/** A part of a file as a result would show it. */
export type ShowableText = {
  file: FoundFile;
  path: string;
  range: LineRange;
  text: string;
  /** The number of lines if the text is the whole file, with all of every line. */
  wholeLines: number | undefined;
  /** The result shows several files, each below a heading. */
  isSection: boolean;
};

export type LineRange = { offset: number; limit: number; column: number };

/** `text` is what the result says. `record` remembers that the result shows it. */
export type ShownForm = { text: string; record(): void };

/**
 * Returns a short form of text that is in the context already, as it is or with a few differences; otherwise the text
 * itself. An earlier result counts only if the conversation still has it unabridged.
 */
export function shortForm(context: ToolContext, view: ShowableText): ShownForm {
  const { agent, callId } = context;
  const { file, path, text, wholeLines } = view;
  const seen = agent && seenFile(agent, file.resolved);
  if (agent === undefined || seen === undefined) return { text, record: () => undefined };
  seen.version = versionOf(file);
  const key = keyOf(view.range);
  const digest = hash('sha1', text);
  const record = (shown: Omit<ShownText, 'digest'>) => () => void seen.shown.set(key, { ...shown, digest });
  const heading = view.isSection ? path : undefined;
  const whole = { text, record: record({ callIds: [callId], heading, wholeLines }) };
  const earlier = seen.shown.get(key);
  if (earlier === undefined) return whole;
  const [base = ''] = earlier.callIds;
  const isSame = earlier.digest === digest;
  const hunks = isSame && earlier.callIds.length === 1 ? undefined : findHunks(earlier, agent, view);
  if (isSame && isInContext(earlier, agent, hunks ?? text)) return { text: unchanged(path), record: () => undefined };
  if (hunks === undefined) return whole;
  return { text: `${changed(view, seen)}\n${hunks}`, record: record({ ...earlier, callIds: [base, callId] }) };
}

function unchanged(path: string): string {
  return `${path} has not changed since you last read these lines, so they are not repeated. Use the earlier result.`;
}

/** Tells the model how to read a difference, with a limit for which it gets the whole text. */
function changed({ path, range, wholeLines = 0 }: ShowableText, { shown }: SeenFile): string {
  let limit = wholeLines;
  while (shown.has(keyOf({ ...range, limit }))) limit += 1;
  return `[${path} has changed. This is the diff to the earlier result that shows the whole file; all other lines are unchanged. The file has ${wholeLines} lines now. To read all of it again, set limit to ${limit}.]`;
}

function keyOf({ offset, limit, column }: LineRange): string {
  return `${offset} ${limit} ${column}`;
}

/** Whether the newest result that shows the text still has `part`: it may have been shortened or changed by a hook. */
function isInContext({ callIds }: ShownText, { resultOf }: AgentToolState, part: string): boolean {
  const result = resultOf?.(callIds.at(-1) ?? '');
  return result !== undefined && (result.includes(part) || result.includes(asModelSees(part)));
}

function asModelSees(text: string): string {
  return redactForModel(showControls(text));
}

/** The hunks between the first of the earlier results, which shows the whole file, and the text. */
function findHunks(earlier: ShownText, { resultOf }: AgentToolState, view: ShowableText): string | undefined {
  const { callIds, heading, wholeLines: lines } = earlier;
  if (lines === undefined || view.wholeLines === undefined) return undefined;
  const result = resultOf?.(callIds[0] ?? '');
  // Both texts are redacted before they are compared: a key that is split by a hunk could not be recognised.
  return result && differenceToShown({ result, heading, lines, text: asModelSees(view.text) });
}

/** Whether a file has changed since this session last read or wrote it. */
export function changedSinceSeen({ agent }: ToolContext, resolved: string, now: FileStat): boolean {
  const seen = agent?.seenFiles?.get(resolved);
  return seen?.version !== undefined && seen.version !== versionOf(now);
}

/** Records our own write, after which the file is as the model knows it. */
export async function noteWritten({ agent, environment }: ToolContext, path: string): Promise<void> {
  if (!agent) return;
  const resolved = await environment.resolvePath(path);
  const now = await environment.stat(path).catch(() => undefined);
  seenFile(agent, resolved).version = now && versionOf(now);
}

function seenFile(agent: NonNullable<ToolContext['agent']>, resolved: string): SeenFile {
  agent.seenFiles ??= new Map();
  let seen = agent.seenFiles.get(resolved);
  if (!seen) agent.seenFiles.set(resolved, (seen = { version: undefined, shown: new Map() }));
  return seen;
}
