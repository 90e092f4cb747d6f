import type { Interaction } from '../../contracts/index.ts';

/** The reason a script is stopped with when its time is over. */
export class ScriptTimeOver extends Error {}

/** The time of one script, which stands still while the person is asked something for it. */
export interface ScriptTime {
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** The same person, whose time to think is not the script's. */
  patient(interaction: Interaction): Interaction;
  end(): void;
}

export function startScriptTime(seconds: number, interrupt: AbortSignal): ScriptTime {
  const over = new AbortController();
  let left = seconds * 1000;
  let asking = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  function count(): void {
    if (asking > 0 && timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - since;
    } else if (asking === 0 && timer === undefined) {
      since = performance.now();
      timer = setTimeout(() => over.abort(new ScriptTimeOver()), Math.max(left, 0));
    }
  }

  async function asked<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    asking += 1;
    count();
    try {
      return await question();
    } finally {
      asking -= 1;
      if (!over.signal.aborted) count();
    }
  }

  count();
  return {
    signal: AbortSignal.any([interrupt, over.signal]),
    isOver: () => over.signal.aborted,
    patient: (interaction) => ({
      approve: (request) => asked(() => interaction.approve(request)),
      clarify: (request) => asked(() => interaction.clarify(request)),
    }),
    end() {
      clearTimeout(timer);
      // Nothing counts any more, also where somebody is still asked.
      asking = Number.POSITIVE_INFINITY;
    },
  };
}
