import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ChannelError, type ChannelFault } from '../../contracts/index.ts';

export type GitHubComment = {
  /** For example `owner/name`. */
  repository: string;
  /** The number of the pull request or the issue. */
  number: string;
  text: string;
  /** Identifies the comment, also after a restart. */
  key: string;
  /** Whether an earlier attempt may have succeeded. */
  mayHaveArrived: boolean;
};

export type GitHubOptions = { variables: Readonly<Record<string, string | undefined>>; signal: AbortSignal };

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * Adds a comment with the GitHub CLI, which has the login of the user. An invisible mark in the comment shows whether
 * an earlier attempt has succeeded.
 */
export async function postComment(comment: GitHubComment, options: GitHubOptions): Promise<void> {
  const { repository, number, text, key, mayHaveArrived } = comment;
  const mark = `<!-- hermes:${createHash('sha256').update(key).digest('hex').slice(0, 32)} -->`;
  if (mayHaveArrived && (await hasComment(comment, mark, options))) return;
  const args = ['pr', 'comment', number, '--repo', repository, '--body-file', '-'];
  const { code, stderr } = await runGh(args, { ...options, input: `${text}\n\n${mark}\n` });
  if (code !== 0) throw explain(stderr, code);
}

async function hasComment({ repository, number }: GitHubComment, mark: string, options: GitHubOptions) {
  const path = `repos/${repository}/issues/${number}/comments?per_page=100`;
  const { code, stdout, stderr } = await runGh(['api', '--paginate', path], { ...options, input: '' });
  if (code !== 0) throw explain(stderr, code);
  return stdout.includes(mark);
}

type Finished = { code: number | null; stdout: string; stderr: string };

async function runGh(
  args: readonly string[],
  { variables, signal, input }: GitHubOptions & { input: string },
): Promise<Finished> {
  const env = { ...variables, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const { promise, resolve, reject } = Promise.withResolvers<Finished>();
  const child = spawn('gh', args, { env, stdio: 'pipe', signal: until });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  let size = 0;
  const collect = (chunks: string[]) => (chunk: string) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT) chunks.push(chunk);
  };
  child.stdout.setEncoding('utf8').on('data', collect(stdout));
  child.stderr.setEncoding('utf8').on('data', collect(stderr));
  child.on('error', (error: NodeJS.ErrnoException) => reject(explainStart(error)));
  child.on('close', (code) => resolve({ code, stdout: stdout.join(''), stderr: stderr.join('') }));
  // The program may exit without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return promise;
}

function explainStart(error: NodeJS.ErrnoException): ChannelError {
  if (error.code === 'ENOENT')
    return new ChannelError('rejected', 'The GitHub CLI (gh) was not found. Install it, and run `gh auth login`.');
  if (error.name === 'AbortError') return new ChannelError('uncertain', 'The GitHub CLI (gh) was stopped.');
  return new ChannelError('transient', `The GitHub CLI (gh) could not be started: ${error.message}`);
}

const [NO_LOGIN, MAX_REASON] = [4, 300];

function explain(stderr: string, code: number | null): ChannelError {
  const reason = stderr.trim().slice(0, MAX_REASON) || `exit code ${code}`;
  return new ChannelError(faultOf(stderr, code), `The GitHub CLI (gh) could not add the comment: ${reason}`);
}

/** What is worth repeating: GitHub could not be reached, or had a problem itself. */
function faultOf(stderr: string, code: number | null): ChannelFault {
  if (code === NO_LOGIN) return 'rejected';
  if (/error connecting to|no such host|connection refused|network is unreachable/i.test(stderr)) return 'transient';
  return code === null || /HTTP 5\d\d|timeout|timed out|EOF/i.test(stderr) ? 'uncertain' : 'rejected';
}
