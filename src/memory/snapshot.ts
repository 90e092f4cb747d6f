import { MEMORY_FILE_NAMES, type MemorySnapshot, type MemoryTarget } from '../contracts/index.ts';
import { describeFindings, type Finding, scanTexts, type TextScan } from '../scanning/index.ts';
import { redactForModel, takeStart } from '../util/index.ts';
import type { MemoryFiles } from './memory-files.ts';
import { DIVIDER_CHARACTERS, entriesOf, measureEntries } from './memory-text.ts';
import { findChangeBlocker } from './read-memory-file.ts';

const HEADINGS: Readonly<Record<MemoryTarget, string>> = {
  memory: 'Your notes from earlier sessions',
  user: 'What you know about the user',
};
/** An oversized file is shown up to this multiple of its limit. */
const SHOWN_MULTIPLE = 2;

/**
 * Both memories as a new session sees them. Blocked entries are replaced by a note in the snapshot; the file stays
 * unchanged.
 */
export async function takeSnapshot(files: MemoryFiles, scan: TextScan = scanTexts): Promise<MemorySnapshot> {
  const blocks = await Promise.all(
    files.targets.map(async (target) => [target, await blockOf(files, target, scan)] as const),
  );
  return Object.fromEntries(blocks.filter(([, block]) => block !== undefined));
}

async function blockOf(files: MemoryFiles, target: MemoryTarget, scan: TextScan): Promise<string | undefined> {
  const limit = files.limitOf(target) ?? 0;
  const name = MEMORY_FILE_NAMES[target];
  const read = await files.read(target);
  if (!('text' in read))
    return `## ${HEADINGS[target]}\n[${name} ${read.unusable}; its content is not available here.]`;
  const entries = [...new Set(entriesOf(read.text).map(({ text }) => text))];
  if (entries.length === 0) return undefined;
  const share = Math.round((measureEntries(entries) / limit) * 100);
  const fault = findChangeBlocker(read);
  const shown = fitEntries(entries, SHOWN_MULTIPLE * limit);
  const findings = await scan(shown, 'strict');
  return [
    `## ${HEADINGS[target]} (${name}, ${share} % of ${limit} characters used)`,
    ...(fault === undefined ? [] : [`[The file ${fault}; it cannot be changed until the user has fixed that.]`]),
    shown.map((entry, index) => fitForModel(entry, findings[index] ?? [])).join('\n§\n'),
  ].join('\n');
}

/** Complete entries from the start, and a note about those that do not fit. */
function fitEntries(entries: readonly string[], room: number): string[] {
  const shown: string[] = [];
  let used = 0;
  for (const entry of entries) {
    used += measureEntries([entry]) + DIVIDER_CHARACTERS;
    if (used > room + DIVIDER_CHARACTERS) break;
    shown.push(entry);
  }
  const missing = entries.length - shown.length;
  if (missing === 0) return shown;
  const [first = ''] = entries;
  if (shown.length === 0) return [takeStart(first, room), note('The rest exceeds the limit by far and is omitted.')];
  return [
    ...shown,
    note(
      `${missing} more ${missing === 1 ? 'entry exceeds' : 'entries exceed'} the limit by far and ${missing === 1 ? 'is' : 'are'} omitted.`,
    ),
  ];
}

function fitForModel(entry: string, findings: readonly Finding[]): string {
  if (findings.length > 0)
    return note(`An entry was blocked: it ${describeFindings(findings)}. It is still in the file.`);
  return redactForModel(entry);
}

function note(text: string): string {
  return `[${text}]`;
}
