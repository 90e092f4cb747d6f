import type { AuxiliaryModels, Logger, MemoryWriter, SessionStore } from '../contracts/index.ts';
import type { AgentEnvironments } from './agent-environments.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import { openReviews, type Reviewer } from './review/open-review.ts';
import { openReviewTools } from './review/review-tools.ts';
import { createSkillCheck, type SkillCheck } from './skills.ts';
import { openTitles } from './titles/open-titles.ts';
import type { TitleMaker } from './titles/title-maker.ts';

/** What is done beside the turns of a chat, and ends with the program. */
export type Beside = { titles: TitleMaker; reviews: Reviewer; skillCheck: SkillCheck; stop(): Promise<void> };

type BesideParts = {
  auxiliary: AuxiliaryModels | undefined;
  environments: AgentEnvironments;
  store: SessionStore;
  memory: MemoryWriter | undefined;
  logger: Logger;
};

/** `current` are the options as they are by then: another choice may have been saved meanwhile. */
export function openBeside(options: RuntimeOptions, current: () => RuntimeOptions, parts: BesideParts): Beside {
  const titles = openTitles(options, parts.auxiliary, parts);
  const openTools = () => openReviewTools(current(), parts);
  const reviews = openReviews(options, parts.auxiliary, { logger: parts.logger, openTools });
  const skillCheck = createSkillCheck();
  return {
    ...{ titles, reviews, skillCheck },
    async stop() {
      skillCheck.stop();
      await Promise.all([titles.stop(), reviews.stop()]);
    },
  };
}
