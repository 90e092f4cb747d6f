import {
  type Attachment,
  attachmentsOf,
  errorMessage,
  type FinishReason,
  type Message,
  ownBlock,
} from '../../base/index.ts';
import { type AuxiliaryModels, type Compression, UnusableAnswers } from '../../contracts/index.ts';
import { truncateMiddle, redactForModel, takeStart } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { pruneMessages } from '../prune.ts';
import { type Cooldown, isOverflow } from './cooldown.ts';
import { extractSections, restoreFacts } from './restore-facts.ts';
import {
  countHeadings,
  mergeSections,
  parseSections,
  renderSections,
  type Sections,
  SUMMARY_SYSTEM,
  renderSummaryRequest,
  withoutEmptyLines,
} from './sections.ts';

export type RecordInput = {
  middle: readonly NumberedMessage[];
  previous: Sections;
  topic: string | undefined;
  /** Maximum tokens of the record, and of the messages in one request. */
  limit: number;
  chunkTokens: number;
  tokensOf(text: string): number;
  previewOnly: boolean;
  /** The user asked for the compression, so a cooldown is ignored. */
  isRequested: boolean;
  sessionId: string;
  taskId?: string | undefined;
  signal: AbortSignal;
};

export type RecordTools = { auxiliary: AuxiliaryModels | undefined; cooldown: Cooldown };

/** The summary record and who wrote it. */
type WrittenRecord = { sections: Sections; by: Compression['summary'] };

/** Chunks are not split below this size. */
const MIN_CHUNK = 1_500;
const MAX_CHUNKS = 12;
/** After this many chunks without a usable answer, the rest is extracted. */
const MAX_UNUSABLE_CHUNKS = 2;
/** Extra output tokens for models that reason before they answer. */
const REASONING_TOKENS = 4_000;

/**
 * Updates the previous record with the middle, one chunk at a time. Chunks that no model could summarise are
 * extracted, and the result reports them.
 */
export async function writeRecord(input: RecordInput, tools: RecordTools): Promise<WrittenRecord> {
  if (input.middle.length === 0) return { sections: input.previous, by: { by: 'none' } };
  const reason = reasonToSkipModel(input, tools);
  if (reason !== undefined || tools.auxiliary === undefined) {
    const sections = mergeSections(input.previous, extractSections(input.middle));
    return { sections, by: { by: 'extract', why: reason ?? 'no model is configured for compression' } };
  }
  const progress = startProgress(input);
  while (progress.left.length > 0) await summariseChunk(progress, input, tools.auxiliary, tools.cooldown);
  const why = progress.faults.length === 0 ? undefined : `partly extracted: ${progress.faults.join('; ')}`;
  if (progress.model !== undefined)
    return { sections: progress.sections, by: { by: 'model', model: progress.model, ...(why && { why }) } };
  const [unusable] = progress.unusable;
  if (unusable !== undefined) tools.cooldown.start(unusable);
  return { sections: progress.sections, by: { by: 'extract', why: progress.faults.join('; ') } };
}

function reasonToSkipModel({ previewOnly, isRequested }: RecordInput, { cooldown }: RecordTools): string | undefined {
  if (previewOnly) return 'a preview calls no model';
  return isRequested ? undefined : cooldown.reason();
}

/** A message and its line in the request to the summary model. */
type Line = { source: NumberedMessage; text: string; tokens: number };

type Progress = {
  sections: Sections;
  left: readonly Line[];
  pieceTokens: number;
  /** The model that summarised the newest chunk. */
  model?: string;
  /** Why some chunks were extracted, and which of these failures were unusable answers. */
  faults: string[];
  unusable: UnusableAnswers[];
};

/**
 * Starts with the newest lines that fit into `MAX_CHUNKS` requests. Older lines are extracted instead, to limit the
 * time.
 */
function startProgress({ middle, previous, chunkTokens, tokensOf }: RecordInput): Progress {
  const texts = renderMiddle(middle);
  const lines = middle.map((source, index): Line => {
    const text = texts[index] ?? '';
    return { source, text, tokens: tokensOf(text) };
  });
  const progress: Progress = { sections: previous, left: lines, pieceTokens: chunkTokens, faults: [], unusable: [] };
  const newest = takeLines(lines.toReversed(), chunkTokens * MAX_CHUNKS).length;
  if (newest === lines.length) return progress;
  extractInstead(progress, lines.slice(0, -newest), `the text is too long for ${MAX_CHUNKS} requests`);
  progress.left = lines.slice(-newest);
  return progress;
}

async function summariseChunk(
  progress: Progress,
  input: RecordInput,
  auxiliary: AuxiliaryModels,
  cooldown: Cooldown,
): Promise<void> {
  if (progress.unusable.length >= MAX_UNUSABLE_CHUNKS) {
    extractInstead(progress, progress.left, 'no further requests after repeated unusable answers');
    progress.left = [];
    return;
  }
  const piece = takeLines(progress.left, progress.pieceTokens);
  try {
    const { text, provider, model } = await ask(piece, progress.sections, input, auxiliary);
    progress.sections = restoreFacts(progress.sections, readAnswer(text), input.limit, input.tokensOf);
    progress.model = `${provider}/${model}`;
    progress.left = progress.left.slice(piece.length);
  } catch (thrown) {
    input.signal.throwIfAborted();
    if (isOverflow(thrown) && progress.pieceTokens > MIN_CHUNK && piece.length > 1) {
      progress.pieceTokens = Math.floor(Math.min(progress.pieceTokens, sumOf(piece)) / 2);
      return;
    }
    const isUnusable = thrown instanceof UnusableAnswers;
    if (isUnusable) progress.unusable.push(thrown);
    else cooldown.start(thrown);
    // After an unusable answer the models may still succeed with the next chunk; after any other failure, everything
    // left is extracted.
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

/** `findFault` rejects unusable answers so that the next model of the chain is tried. */
function ask(piece: readonly Line[], former: Sections, input: RecordInput, auxiliary: AuxiliaryModels) {
  const { topic, limit, tokensOf, sessionId, taskId, signal } = input;
  const lines = piece.map(({ text }) => text);
  const question = renderSummaryRequest({ lines, former: redactForModel(renderSections(former)), topic, limit });
  return auxiliary.ask('compression', {
    system: SUMMARY_SYSTEM,
    messages: [{ role: 'user', content: question }],
    maxOutputTokens: limit * 2 + Math.min(REASONING_TOKENS, Math.ceil(input.chunkTokens / 4)),
    findRejectionReason: (answer) => findRejectionReason(answer, limit, tokensOf),
    signal,
    sessionId,
    ...(taskId !== undefined && { taskId }),
  });
}

/** Maximum length of a line. A line can only be kept or dropped as a whole, so it must not be endless. */
const MAX_LINE_LENGTH = 800;

function readAnswer(text: string): Sections {
  const sections = [...withoutEmptyLines(parseSections(redactForModel(text)))];
  return new Map(sections.map(([heading, lines]) => [heading, lines.map((line) => cutLine(line))]));
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE_LENGTH ? line : `${takeStart(line, MAX_LINE_LENGTH)}…`;
}

/** The minimum number of headings. An answer with fewer does not have the requested format. */
const MIN_HEADINGS = 4;
/** How far an answer may exceed its limit. Up to this factor it is trimmed; beyond it, it is rejected. */
const MAX_OVERRUN = 1.6;
const REFUSAL = /\b(?:sorry|cannot|can't|can’t|unable|not able|won't|as an ai)\b/i;

type SummaryAnswer = { text: string; finishReason: FinishReason };

/** Returns the rejection reason of an answer; undefined if it is usable. */
function findRejectionReason(
  { text, finishReason }: SummaryAnswer,
  limit: number,
  tokensOf: (text: string) => number,
): string | undefined {
  if (repeatsItself(text)) return 'it repeats itself';
  if (tokensOf(text) > limit * MAX_OVERRUN) return 'it exceeds the length limit';
  if (finishReason === 'length') return 'it was truncated';
  if (finishReason === 'content_filter') return "the provider's content filter withheld it";
  if (returnsInstructions(text)) return 'it repeats its own instructions';
  if (countHeadings(text) >= MIN_HEADINGS) return undefined;
  return text.length < 1_000 && REFUSAL.test(text) ? 'it is a refusal' : 'it does not have the requested format';
}

const INSTRUCTION_LINES = SUMMARY_SYSTEM.split('\n').filter((line) => line.length > 30 && !line.startsWith('#'));

function returnsInstructions(text: string): boolean {
  return INSTRUCTION_LINES.filter((line) => text.includes(line)).length >= 2;
}

const SHINGLE = 16;
const MIN_LENGTH = 400;
const MIN_LINES = 6;

/** Whether most of the text is repetition, by lines or by runs of characters. */
function repeatsItself(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim().length > 20);
  if (lines.length >= MIN_LINES && new Set(lines).size < lines.length * 0.6) return true;
  const dense = text.replace(/\s+/g, '');
  if (dense.length < MIN_LENGTH) return false;
  const seen = new Set<string>();
  const total = dense.length - SHINGLE + 1;
  for (let start = 0; start < total; start += 1) seen.add(dense.slice(start, start + SHINGLE));
  // A low threshold: paths of one folder have much text in common, but a real loop repeats nearly everything.
  return seen.size < total * 0.3;
}

/** Maximum characters that the summary model receives of a tool result, a text and the arguments of a call. */
const RESULT_LIMIT = 1_500;
const TEXT_LIMIT = 6_000;
const ARGUMENTS_LIMIT = 600;

/** Renders each message as a line of JSON without secrets. Of identical results, only the newest has its text. */
function renderMiddle(numbered: readonly NumberedMessage[]): string[] {
  const messages = numbered.map(({ message }) => message);
  const pruned = pruneMessages(messages);
  const newest = new Map<string, number>();
  messages.forEach((message, index) => {
    if (message.role === 'tool') newest.set(message.content, index);
  });
  return numbered.map(({ number, message }, index) => {
    const isRepeated = message.role === 'tool' && newest.get(message.content) !== index;
    return JSON.stringify({ number, ...fieldsOf(isRepeated ? (pruned[index] as Message) : message) });
  });
}

function fieldsOf(message: Message): Record<string, unknown> {
  const text = (limit: number) => readable(message.content, limit);
  if (message.role === 'tool') {
    const said = ownBlock('steering').lastText(message.content);
    const words = said === undefined ? {} : { user_said: readable(said, TEXT_LIMIT) };
    return { result_of: message.toolName, text: text(RESULT_LIMIT), ...words, attached: namesOf(message) };
  }
  if (message.role === 'user') return { role: 'user', text: text(TEXT_LIMIT), attached: namesOf(message) };
  const calls = message.toolCalls?.map((call) => `${call.name} ${readable(call.arguments, ARGUMENTS_LIMIT)}`);
  return { role: 'assistant', text: message.content === '' ? undefined : text(TEXT_LIMIT), calls };
}

/** The names of the attachments, with their descriptions; undefined if there are none. */
function namesOf(message: Message): string[] | undefined {
  const nameOf = ({ name, description }: Attachment) => (description ? `${name}: ${description}` : name);
  const attached = attachmentsOf(message);
  return attached.length === 0 ? undefined : attached.map(nameOf);
}

function readable(text: string, limit: number): string {
  return redactForModel(truncateMiddle(text, limit));
}

/** The first lines that fit into `limit` tokens, at least one. */
function takeLines(lines: readonly Line[], limit: number): Line[] {
  let tokens = 0;
  const end = lines.findIndex((line, index) => {
    tokens += line.tokens;
    return tokens > limit && index > 0;
  });
  return lines.slice(0, end < 0 ? undefined : end);
}
