import { errorMessage } from '../../base/index.ts';
import { describeFindings, type Finding, scanTexts, type TextScan } from '../../scanning/index.ts';
import { isInside, joinTruncated, maskKnownSecrets, takeEnd, takeStart } from '../../util/index.ts';
import type { ProjectFiles } from './project-files.ts';

/** A file of the project or of the home directory, as the model reads it. */
export type ContextFile = {
  path: string;
  text: string;
  blocked: boolean;
  /** Name of the context file that imports this one with `@path`. */
  importedBy?: string;
};

export type ReadContextFileOptions = {
  files: ProjectFiles;
  /** Symbolic links that point outside this directory are not followed. */
  root: string;
  /** Maximum number of characters; undefined for no limit. */
  limit: number | undefined;
  /** The name of the file in texts for the model. */
  displayName: string;
  dropFrontMatter?: boolean;
  /** A scan function with a cache; by default every text is scanned again. */
  scan?: TextScan | undefined;
  warn(message: string): void;
};

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;
/** Larger files are not read completely, only their start and end. */
const WHOLE_BYTES = 1024 * 1024;
const PART_BYTES = 128 * 1024;

/** Returns undefined if the file is missing, empty or unusable; an unusable file also causes a warning. */
export async function readContextFile(path: string, options: ReadContextFileOptions): Promise<ContextFile | undefined> {
  const { warn, displayName } = options;
  const leaveOut = (why: string): undefined => {
    warn(`${path} was not added to the prompt: ${why}.`);
  };
  try {
    const raw = await readAllowed(path, options, leaveOut);
    if (raw === undefined) return undefined;
    const text = clean(raw, options.dropFrontMatter === true);
    if (text === '') return undefined;
    const cut = cutText(maskKnownSecrets(text), options.limit, displayName);
    const [findings = []] = await (options.scan ?? scanTexts)([cut], 'context');
    if (findings.length === 0) return { path, text: cut, blocked: false };
    warn(describeBlocked(path, findings));
    return {
      path,
      text: `[${displayName} was blocked and is not shown: it ${describeFindings(findings)}.]`,
      blocked: true,
    };
  } catch (thrown) {
    return leaveOut(`it could not be read (${errorMessage(thrown)})`);
  }
}

async function readAllowed(
  path: string,
  { files, root }: ReadContextFileOptions,
  leaveOut: (why: string) => undefined,
): Promise<string | undefined> {
  const found = await files.stat(path);
  if (found === undefined) return undefined;
  if (found.kind !== 'file') return leaveOut('it is not a regular file');
  const real = await files.resolvePath(path);
  if (real !== path) {
    // The root is resolved too, because the path to the project may itself contain symbolic links.
    const realRoot = await files.resolvePath(root);
    if (!isInside(realRoot, real)) return leaveOut(`it is a symbolic link to ${real}, outside ${root}`);
    const { isPrivate } = await import('./private-files.ts');
    if (isPrivate(real, realRoot))
      return leaveOut(`it is a symbolic link to ${real}, which may contain credentials or belongs to Git`);
  }
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

// Invisible characters. Inside words the scan reports them; elsewhere they are residue of copy and paste.
const INVISIBLE_CHARACTERS = /[\u180e\u200b\u2060-\u2064\ufeff]/g;

function clean(raw: string, dropFrontMatter: boolean): string {
  const text = raw.replace(/^\ufeff/, '');
  const body = dropFrontMatter ? text.replace(/^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/, '') : text;
  // Invisible characters that may hide something are kept, so that the scan finds them.
  const hides = /[\p{L}\p{N}][\u180e\u200b\u2060-\u2064\ufeff]+[\p{L}\p{N}]|[\u180e\u200b\u2060-\u2064\ufeff]{3}/u.test(
    body,
  );
  return (hides ? body : body.replace(INVISIBLE_CHARACTERS, '')).trim();
}

/** Keeps mostly the start, where the important text usually is, and some of the end. */
function cutText(text: string, limit: number | undefined, shownAs: string): string {
  if (limit === undefined || text.length <= limit) return text;
  const head = takeStart(text, Math.floor(limit * HEAD_SHARE));
  const tail = takeEnd(text, Math.floor(limit * TAIL_SHARE));
  const omitted = text.length - head.length - tail.length;
  return joinTruncated({ head, tail, omitted }, `The full text is in ${shownAs}`);
}

function describeBlocked(path: string, findings: readonly Finding[]): string {
  const [first] = findings;
  const seen = first === undefined || first.excerpt === '' ? '' : ` Found: "${printable(first.excerpt)}".`;
  return `${path} was blocked and not added to the prompt: it ${describeFindings(findings)}.${seen}`;
}

/** Removes control characters, because the excerpt is printed to a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').slice(0, 80);
}
