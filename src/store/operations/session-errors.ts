import { HermesError } from '../../base/index.ts';

/** `place` is the file or the database that the session is not in. */
export function unknownSession(id: string, place: string): HermesError {
  return new HermesError(`There is no session ${id} in ${place}.`, {
    hint: 'It may have been deleted meanwhile; start a new session or choose another.',
  });
}

export function sessionExists(id: string, place: string, cause: unknown): HermesError {
  return new HermesError(`There is a session ${id} already in ${place}.`, { cause });
}

/** By the time the owner is looked for, it may have been renamed or deleted by another process. */
export function titleIsTaken(title: string | undefined, owner: string | undefined, cause: unknown): HermesError {
  const by = owner === undefined ? '' : ` by session ${owner}`;
  return new HermesError(`The title "${title}" is taken already${by}.`, { hint: 'Choose another title.', cause });
}
