import { errorMessage, type RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger, SessionStore } from '../../contracts/index.ts';
import { cleanTitle, TITLE_SYSTEM, titleQuestion } from './title-text.ts';

export interface TitleMaker {
  begin(result: RunResult): void;
  forget(sessionId: string): void;
  stop(): Promise<void>;
}

export type TitleMakerOptions = {
  store: Pick<SessionStore, 'getSession' | 'newestInLineage' | 'proposeSessionTitle'>;
  auxiliary: AuxiliaryModels;
  logger: Logger;
};

/** Room for a model that thinks before it answers. */
const MOST_TOKENS = 2_000;

export function createTitleMaker({ store, auxiliary, logger }: TitleMakerOptions): TitleMaker {
  const stopped = new AbortController();
  const tried = new Set<string>();
  const running = new Set<Promise<void>>();
  const { signal } = stopped;

  async function make({ sessionId, messages }: RunResult): Promise<void> {
    const question = titleQuestion(messages);
    const session = await store.getSession(sessionId);
    if (question === undefined || session === undefined || session.title !== undefined) return;
    const { text } = await auxiliary.ask('title_generation', {
      system: TITLE_SYSTEM,
      messages: [{ role: 'user', content: question }],
      maxOutputTokens: MOST_TOKENS,
      findFault: (answer) => (cleanTitle(answer.text) === undefined ? 'it has no title' : undefined),
      signal,
      sessionId,
    });
    const title = cleanTitle(text);
    // It may have been compressed meanwhile, and goes on elsewhere.
    const { id = sessionId } = (await store.newestInLineage(sessionId)) ?? {};
    const given = title === undefined ? undefined : await store.proposeSessionTitle(id, title);
    logger.info('title', { sessionId, title: given });
  }

  return {
    begin(result) {
      if (!result.completed || signal.aborted || tried.has(result.sessionId)) return;
      tried.add(result.sessionId);
      const task = make(result)
        // A session without a title is found by its first words; nobody needs to hear of this.
        .catch((thrown: unknown) => {
          if (signal.aborted) return;
          logger.warn('no title was made', { sessionId: result.sessionId, reason: errorMessage(thrown) });
        })
        .finally(() => running.delete(task));
      running.add(task);
    },
    forget: (sessionId) => void tried.delete(sessionId),
    async stop() {
      stopped.abort(new Error('the program ends'));
      await Promise.all(running);
    },
  };
}
