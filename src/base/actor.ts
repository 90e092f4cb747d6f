/** The permissions of an actor, highest first. */
export const ACTOR_ROLES = ['owner', 'admin', 'user', 'guest'] as const;
export type ActorRole = (typeof ACTOR_ROLES)[number];

/** The sender of a message, a command or an answer. */
export type Actor = {
  /** Unique on its surface, such as the user id of a chat platform. */
  id: string;
  role: ActorRole;
  name?: string;
};

/** The user at the terminal, under whose account Hermes runs. */
export const OWNER: Actor = { id: 'local', role: 'owner' };

/** Whether an actor has a role or a higher one. An unknown role, written by another program, grants nothing. */
export function hasRole({ role }: Pick<Actor, 'role'>, required: ActorRole): boolean {
  const rank = ACTOR_ROLES.indexOf(role);
  return rank >= 0 && rank <= ACTOR_ROLES.indexOf(required);
}
