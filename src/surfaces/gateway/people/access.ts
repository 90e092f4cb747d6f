import type { Actor } from '../../../base/index.ts';
import type { ChatSource } from '../../../contracts/index.ts';

/** Who may use the bot on one platform. */
export type AccessRules = {
  /** Everybody may use the bot. */
  allowAll: boolean;
  /** User ids; `*` is everybody. */
  allowed: readonly string[];
  /** Admins in direct messages, and in groups; undefined if the owner did not name any. */
  admins: { dm?: readonly string[]; group?: readonly string[] };
};

/** The people who were approved by pairing, first approved first. */
export type ApprovedIds = readonly string[];

/**
 * Who sent an event; undefined for a stranger. Only the ids of the platform count, never names. Without a list of
 * admins, the first user of the allow-list is the admin, or the first one who was approved by pairing.
 */
export function findActor(source: ChatSource, rules: AccessRules, approved: ApprovedIds): Actor | undefined {
  const ids = idsOf(source);
  if (ids.length === 0) return undefined;
  const isKnown =
    rules.allowAll || matches(ids, approved) || matches(ids, rules.allowed) || rules.allowed.includes('*');
  const admins = rules.admins[source.chatType === 'dm' ? 'dm' : 'group'] ?? defaultAdmins(rules, approved);
  const isAdmin = matches(ids, admins);
  if (!isKnown && !isAdmin) return undefined;
  const actor: Actor = { id: `${source.platform}:${ids[0]}`, role: isAdmin ? 'admin' : 'user' };
  if (source.userName !== undefined) actor.name = source.userName;
  return actor;
}

/** Whether the owner let the sender in by name, and not only together with everybody else. */
export function isListed(source: ChatSource, rules: AccessRules, approved: ApprovedIds): boolean {
  const { dm = [], group = [] } = rules.admins;
  return matches(idsOf(source), [...approved, ...rules.allowed, ...dm, ...group]);
}

function defaultAdmins({ allowed, admins }: AccessRules, approved: ApprovedIds): readonly string[] {
  if (admins.dm !== undefined || admins.group !== undefined) return [];
  const first = allowed.find((id) => id !== '*') ?? approved[0];
  return first === undefined ? [] : [first];
}

/** The stable ids of the sender. */
function idsOf({ userId, userIdAlt }: ChatSource): string[] {
  return [userId, userIdAlt].filter((id) => id !== undefined && id !== '') as string[];
}

/** Of an id such as `name@server`, the part before the `@` counts too, as in the original. */
function matches(ids: readonly string[], list: readonly string[]): boolean {
  return ids.some((id) => list.includes(id) || (id.includes('@') && list.includes(id.slice(0, id.indexOf('@')))));
}
