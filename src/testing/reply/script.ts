import { HermesError } from '../../base/index.ts';

/** Replies in order, or a function that looks at the request. */
export type Script<Request, R> = readonly R[] | ((request: Request) => R | Promise<R>);

export type ScriptOptions = {
  /** The last reply of a list answers every further request as well. */
  repeatLast?: boolean;
};

/** Gives each request its reply; throws where a list has none left. */
export function createScriptReader<Request, R>(
  script: Script<Request, R>,
  options: ScriptOptions = {},
): (request: Request) => Promise<R> {
  let position = 0;
  return async (request) => {
    if (typeof script === 'function') return script(request);
    const index = options.repeatLast ? Math.min(position, script.length - 1) : position;
    position += 1;
    const reply = script[index];
    if (reply !== undefined) return reply;
    throw new HermesError(`The script has ${script.length} replies, and this is request ${position}.`, {
      hint: 'Add a reply, set repeatLast, or find out why there was one more request.',
    });
  };
}
