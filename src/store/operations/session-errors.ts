import { HermesError } from '../../base/index.ts';

/** `place` is the file or the database that was searched. */
export function unknownSession(id: string, location: string): HermesError {
  return new HermesError(`There is no session ${id} in ${location}.`, {
    hint: 'It may have been deleted. Start a new session or choose another one.',
  });
}

export function sessionExists(id: string, location: string, cause: unknown): HermesError {
  return new HermesError(`Session ${id} already exists in ${location}.`, { cause });
}

/** `owner` may be unknown, because another process may have renamed or deleted it in the meantime. */
export function titleInUse(title: string | undefined, owner: string | undefined, cause: unknown): HermesError {
  const by = owner === undefined ? '' : ` by session ${owner}`;
  return new HermesError(`The title "${title}" is already used${by}.`, { hint: 'Choose another title.', cause });
}
