import type { CredentialPlan, PoolMember } from './credential-plan.ts';
import type { PoolMemory } from './pool-memory.ts';

/** What was written into files of other programs: nothing of that happens without a word. */
export interface Writings {
  note(member: PoolMember): void;
  /** What nobody was told yet, in this or in another process. */
  takeNotices(): Promise<string[]>;
}

export function createWritings({ name }: CredentialPlan, memory: Pick<PoolMemory, 'isNews'>): Writings {
  let unsaid: PoolMember | undefined;
  return {
    note(member) {
      if (member.writtenTo !== undefined) unsaid = member;
    },
    async takeNotices() {
      const { id, writtenTo } = unsaid ?? {};
      unsaid = undefined;
      if (id === undefined || writtenTo === undefined || !(await memory.isNews(id))) return [];
      return [
        `The login of Claude Code for ${name} was renewed, and its new tokens were written back to ${writtenTo}: ` +
          'without them Claude Code would be logged out. From now on this is done without a word.',
      ];
    },
  };
}
