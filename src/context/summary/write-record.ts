import { errorMessage } from '../../base/index.ts';
import { type AuxiliaryModels, type Compression, UnusableAnswers } from '../../contracts/index.ts';
import { redactForModel, takeStart } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { type CoolDown, isOverflow } from './cool-down.ts';
import { extractSections } from './extract.ts';
import { findFault } from './find-fault.ts';
import { keepFacts } from './keep-facts.ts';
import { SUMMARY_SYSTEM, summaryQuestion } from './prompt.ts';
import { renderMiddle, takeLines } from './render-middle.ts';
import { mergeSections, parseSections, renderSections, type Sections, withoutEmpty } from './sections.ts';

export type RecordInput = {
  middle: readonly NumberedMessage[];
  former: Sections;
  topic: string | undefined;
  /** How many tokens the record may have, and how many a question may bring. */
  limit: number;
  pieceTokens: number;
  tokensOf(text: string): number;
  previewOnly: boolean;
  /** The person asked, so a pause is no reason not to try. */
  isAsked: boolean;
  sessionId: string;
  taskId?: string | undefined;
  signal: AbortSignal;
};

export type RecordTools = { auxiliary: AuxiliaryModels | undefined; coolDown: CoolDown };

/** The part of a summary that a model writes, and who wrote it in the end. */
export type WrittenRecord = { sections: Sections; by: Compression['summary'] };

/** Pieces smaller than this say too little to be worth a call. */
const LEAST_PIECE = 1_500;
const MOST_PIECES = 12;
/** Models that could not do two pieces will not do the third. */
const MOST_FAULTS = 2;
/** Room for a model that thinks before it answers. */
const THINKING_TOKENS = 4_000;

/**
 * Brings the former record up to date with the middle, piece by piece. What no model could do is extracted, and the
 * answer says so: nothing is lost in silence.
 */
export async function writeRecord(input: RecordInput, tools: RecordTools): Promise<WrittenRecord> {
  if (input.middle.length === 0) return { sections: input.former, by: { by: 'none' } };
  const reason = reasonNotToAsk(input, tools);
  if (reason !== undefined || tools.auxiliary === undefined) {
    const sections = mergeSections(input.former, extractSections(input.middle));
    return { sections, by: { by: 'extract', why: reason ?? 'there is no model for it' } };
  }
  const progress = beginProgress(input);
  while (progress.left.length > 0) await takePiece(progress, input, tools.auxiliary, tools.coolDown);
  const why = progress.faults.length === 0 ? undefined : `partly extracted: ${progress.faults.join('; ')}`;
  if (progress.model !== undefined)
    return { sections: progress.sections, by: { by: 'model', model: progress.model, ...(why && { why }) } };
  const [unusable] = progress.unusable;
  if (unusable !== undefined) tools.coolDown.begin(unusable);
  return { sections: progress.sections, by: { by: 'extract', why: progress.faults.join('; ') } };
}

function reasonNotToAsk({ previewOnly, isAsked }: RecordInput, { coolDown }: RecordTools): string | undefined {
  if (previewOnly) return 'a preview asks no model';
  return isAsked ? undefined : coolDown.reason();
}

/** A message, and the line in which the summary model reads it. */
type Line = { source: NumberedMessage; text: string; tokens: number };

type Progress = {
  sections: Sections;
  left: readonly Line[];
  pieceTokens: number;
  /** The model that wrote the newest piece. */
  model?: string;
  /** Why parts of it were extracted, and those of them for which models gave nothing of use. */
  faults: string[];
  unusable: UnusableAnswers[];
};

/** More questions than this are not worth their time: what is older is extracted. */
function beginProgress({ middle, former, pieceTokens, tokensOf }: RecordInput): Progress {
  const texts = renderMiddle(middle);
  const lines = middle.map((source, place): Line => {
    const text = texts[place] ?? '';
    return { source, text, tokens: tokensOf(text) };
  });
  const progress: Progress = { sections: former, left: lines, pieceTokens, faults: [], unusable: [] };
  const newest = takeLines(lines.toReversed(), pieceTokens * MOST_PIECES).length;
  if (newest === lines.length) return progress;
  extractInstead(progress, lines.slice(0, -newest), `it was too much for ${MOST_PIECES} questions`);
  progress.left = lines.slice(-newest);
  return progress;
}

async function takePiece(
  progress: Progress,
  input: RecordInput,
  auxiliary: AuxiliaryModels,
  coolDown: CoolDown,
): Promise<void> {
  if (progress.unusable.length >= MOST_FAULTS) {
    extractInstead(progress, progress.left, 'the rest was not asked for');
    progress.left = [];
    return;
  }
  const piece = takeLines(progress.left, progress.pieceTokens);
  try {
    const { text, provider, model } = await ask(piece, progress.sections, input, auxiliary);
    progress.sections = keepFacts(progress.sections, readAnswer(text), input.limit, input.tokensOf);
    progress.model = `${provider}/${model}`;
    progress.left = progress.left.slice(piece.length);
  } catch (thrown) {
    input.signal.throwIfAborted();
    if (isOverflow(thrown) && progress.pieceTokens > LEAST_PIECE && piece.length > 1) {
      progress.pieceTokens = Math.floor(Math.min(progress.pieceTokens, sumOf(piece)) / 2);
      return;
    }
    const isUnusable = thrown instanceof UnusableAnswers;
    if (isUnusable) progress.unusable.push(thrown);
    else coolDown.begin(thrown);
    // Models that can be reached may do better with the next piece.
    const undone = isUnusable ? piece : progress.left;
    extractInstead(progress, undone, errorMessage(thrown).replace(/\.$/, ''));
    progress.left = progress.left.slice(undone.length);
  }
}

function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

function extractInstead(progress: Progress, piece: readonly Line[], fault: string): void {
  progress.sections = mergeSections(progress.sections, extractSections(piece.map(({ source }) => source)));
  progress.faults.push(fault);
}

/** What cannot stand for messages is refused, so that the other models of the chain get their chance. */
function ask(piece: readonly Line[], former: Sections, input: RecordInput, auxiliary: AuxiliaryModels) {
  const { topic, limit, tokensOf, sessionId, taskId, signal } = input;
  const lines = piece.map(({ text }) => text);
  const question = summaryQuestion({ lines, former: redactForModel(renderSections(former)), topic, limit });
  return auxiliary.ask('compression', {
    system: SUMMARY_SYSTEM,
    messages: [{ role: 'user', content: question }],
    maxOutputTokens: limit * 2 + Math.min(THINKING_TOKENS, Math.ceil(input.pieceTokens / 4)),
    findFault: (answer) => findFault(answer, limit, tokensOf),
    ...{ signal, sessionId, ...(taskId !== undefined && { taskId }) },
  });
}

/** A line that has no end would be kept or dropped as a whole. */
const LONGEST_LINE = 800;

function readAnswer(text: string): Sections {
  const sections = [...withoutEmpty(parseSections(redactForModel(text)))];
  return new Map(sections.map(([heading, lines]) => [heading, lines.map((line) => cutLine(line))]));
}

function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${takeStart(line, LONGEST_LINE)}…`;
}
