import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MAX_TITLE = 500;
const MAX_DESCRIPTION = 20_000;
const MAX_GIT_OUTPUT = 64 * 1024 * 1024;

/** Title, description and diff of the pull request that started the workflow; undefined for other events. */
export function readPullRequest(env, checkout, maxDiffCharacters) {
  const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')) : {};
  const { pull_request: pullRequest } = event;
  if (pullRequest === undefined) return undefined;
  return {
    number: pullRequest.number,
    author: String(pullRequest.user?.login ?? ''),
    title: cut(String(pullRequest.title ?? ''), MAX_TITLE),
    description: cut(String(pullRequest.body ?? ''), MAX_DESCRIPTION),
    diff: cut(readDiff(checkout, pullRequest.base?.sha), maxDiffCharacters),
  };
}

/**
 * `actions/checkout` checks out a merge commit whose first parent is the base. With the head commit checked out
 * instead, the diff starts at the merge base, which needs the history.
 */
function readDiff(checkout, base) {
  const git = (...args) =>
    execFileSync('git', ['--no-pager', ...args], { cwd: checkout, encoding: 'utf8', maxBuffer: MAX_GIT_OUTPUT });
  const diff = (...range) => git('diff', '--no-color', '--no-ext-diff', '--no-textconv', ...range);
  const parents = git('rev-list', '--parents', '-n', '1', 'HEAD').trim().split(' ');
  if (parents.length > 2) return diff('HEAD^1', 'HEAD');
  if (!/^[0-9a-f]{40,64}$/.test(String(base)))
    throw new Error('The event has no base commit, so there is no diff. Set `pull-request: false` to run without it.');
  try {
    return diff(`${base}...HEAD`);
  } catch {
    throw new Error(
      'The base commit of the pull request is not in the checkout. Use `fetch-depth: 2` with `actions/checkout`.',
    );
  }
}

function cut(text, limit) {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n[… ${text.length - limit} characters omitted]`;
}
