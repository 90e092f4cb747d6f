/** What a person may do, from the most to the least. */
export const ACTOR_ROLES = ['owner', 'admin', 'user', 'guest'] as const;
export type ActorRole = (typeof ACTOR_ROLES)[number];

/** Who is speaking: the sender of a message, a command or an answer. */
export type Actor = {
  /** Unique among the people of a surface, such as the user id of a chat platform. */
  id: string;
  role: ActorRole;
  name?: string;
};

/** The person at the terminal, on whose account the program runs. */
export const OWNER: Actor = { id: 'local', role: 'owner' };

/** Whether an actor has a role or a higher one. A role that does not exist, from a row of another program, is none. */
export function hasRole({ role }: Pick<Actor, 'role'>, required: ActorRole): boolean {
  const rank = ACTOR_ROLES.indexOf(role);
  return rank >= 0 && rank <= ACTOR_ROLES.indexOf(required);
}
