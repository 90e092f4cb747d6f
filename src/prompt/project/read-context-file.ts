import { errorMessage } from '../../base/index.ts';
import { describeFindings, type Finding, scanTexts, type TextScan } from '../../scanning/index.ts';
import { isInside, joinCut, takeEnd, takeStart } from '../../util/index.ts';
import type { ProjectFiles } from './project-files.ts';

/** A file of the project, or of the home, as the model reads it. */
export type ContextFile = { path: string; text: string; blocked: boolean };

export type ReadingOptions = {
  files: ProjectFiles;
  /** Links that lead out of here are not followed. */
  root: string;
  /** How many characters of a file are taken; undefined for all. */
  limit: number | undefined;
  /** What the model is told the file is called. */
  shownAs: string;
  dropFrontMatter?: boolean;
  /** Without it every text is looked at anew. */
  scan?: TextScan | undefined;
  warn(message: string): void;
};

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;
/** More of a file than this is not read; of one that is larger, beginning and end. */
const WHOLE_BYTES = 1024 * 1024;
const PART_BYTES = 128 * 1024;

/** Undefined where there is none, or nothing in it. What cannot be used is as good as absent, and the person is told. */
export async function readContextFile(path: string, options: ReadingOptions): Promise<ContextFile | undefined> {
  const { warn, shownAs } = options;
  const leaveOut = (why: string): undefined => {
    warn(`${path} was left out of the prompt: ${why}.`);
  };
  try {
    const raw = await readAllowed(path, options, leaveOut);
    if (raw === undefined) return undefined;
    const text = clean(raw, options.dropFrontMatter === true);
    if (text === '') return undefined;
    const cut = cutText(text, options.limit, shownAs);
    const [findings = []] = await (options.scan ?? scanTexts)([cut], 'context');
    if (findings.length === 0) return { path, text: cut, blocked: false };
    warn(describeBlocked(path, findings));
    return {
      path,
      text: `[${shownAs} was blocked and is not shown: it ${describeFindings(findings)}.]`,
      blocked: true,
    };
  } catch (thrown) {
    return leaveOut(`it could not be read (${errorMessage(thrown)})`);
  }
}

async function readAllowed(
  path: string,
  { files, root }: ReadingOptions,
  leaveOut: (why: string) => undefined,
): Promise<string | undefined> {
  const found = await files.stat(path);
  if (found === undefined) return undefined;
  if (found.kind !== 'file') return leaveOut('it is not a regular file');
  const real = await files.resolvePath(path);
  // The way to the project may itself have links in it.
  if (real !== path && !isInside(await files.resolvePath(root), real))
    return leaveOut(`it is a link to ${real}, outside of ${root}`);
  const bytes = await readBounded(files, path, found.size);
  if (bytes.includes(0)) return leaveOut('it is not a text file');
  return new TextDecoder().decode(bytes);
}

async function readBounded(files: ProjectFiles, path: string, size: number): Promise<Uint8Array> {
  if (size <= WHOLE_BYTES) return files.readFile(path);
  const head = await files.readFile(path, { length: PART_BYTES });
  const tail = await files.readFile(path, { offset: size - PART_BYTES, length: PART_BYTES });
  return Buffer.concat([head, tail]);
}

// Inside of words these are a finding; anywhere else they are leftovers of copying that nobody needs.
const LEFTOVERS = /[\u180e\u200b\u2060-\u2064\ufeff]/g;

function clean(raw: string, dropFrontMatter: boolean): string {
  const text = raw.replace(/^\ufeff/, '');
  const body = dropFrontMatter ? text.replace(/^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/, '') : text;
  // Where they hide something, the scan must see them.
  const hides = /[\p{L}\p{N}][\u180e\u200b\u2060-\u2064\ufeff]+[\p{L}\p{N}]|[\u180e\u200b\u2060-\u2064\ufeff]{3}/u.test(
    body,
  );
  return (hides ? body : body.replace(LEFTOVERS, '')).trim();
}

/** Most of what counts stands at the beginning, and some at the end. */
function cutText(text: string, limit: number | undefined, shownAs: string): string {
  if (limit === undefined || text.length <= limit) return text;
  const head = takeStart(text, Math.floor(limit * HEAD_SHARE));
  const tail = takeEnd(text, Math.floor(limit * TAIL_SHARE));
  const omitted = text.length - head.length - tail.length;
  return joinCut({ head, tail, omitted }, `The whole is in ${shownAs}`);
}

function describeBlocked(path: string, findings: readonly Finding[]): string {
  const [first] = findings;
  const seen = first === undefined || first.excerpt === '' ? '' : ` Found: "${printable(first.excerpt)}".`;
  return `${path} was blocked and is not in the prompt: it ${describeFindings(findings)}.${seen}`;
}

/** An excerpt goes to a terminal, which must not be moved by it. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').slice(0, 80);
}
