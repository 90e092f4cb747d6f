import type { Actor } from '../../../base/index.ts';
import type { PlatformSettings } from '../../../config/gateway/index.ts';
import type { ChatSource } from '../../../contracts/index.ts';

/** Who may use the bot on one platform, and for what. */
export type AccessRules = Pick<
  PlatformSettings,
  'allowAll' | 'allowed' | 'groupAllowed' | 'groupChats' | 'admins' | 'userCommands' | 'strangers'
>;

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
    rules.allowAll ||
    matches(ids, approved) ||
    matches(ids, rules.allowed) ||
    rules.allowed.includes('*') ||
    (source.chatType !== 'dm' && isAllowedInGroup(source, rules));
  const admins = rules.admins[scopeOf(source)] ?? defaultAdmins(rules, approved);
  const isAdmin = matches(ids, admins);
  if (!isKnown && !isAdmin) return undefined;
  const actor: Actor = { id: `${source.platform}:${ids[0]}`, role: isAdmin ? 'admin' : 'user' };
  if (source.userName !== undefined) actor.name = source.userName;
  return actor;
}

/** Whether the owner let the sender in by name, and not only together with everybody else. */
export function isListed(source: ChatSource, rules: AccessRules, approved: ApprovedIds): boolean {
  const { dm = [], group = [] } = rules.admins;
  return matches(idsOf(source), [...approved, ...rules.allowed, ...rules.groupAllowed, ...dm, ...group]);
}

/** Permission to write in a group is no permission to write direct messages. */
function isAllowedInGroup(source: ChatSource, { groupAllowed, groupChats }: AccessRules): boolean {
  if (groupAllowed.includes('*') || groupChats.includes('*')) return true;
  return matches(idsOf(source), groupAllowed) || groupChats.includes(source.chatId);
}

function scopeOf({ chatType }: ChatSource): 'dm' | 'group' {
  return chatType === 'dm' ? 'dm' : 'group';
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

/** What users who are not admins may run by default. Everything else may show or change what belongs to the owner. */
const FOR_USERS: readonly string[] = [
  'status',
  'new',
  'stop',
  'retry',
  'undo',
  'redo',
  'title',
  'usage',
  'compress',
  'steer',
  'queue',
  'commands',
];
/** What every user may run. */
const FOR_ALL: readonly string[] = ['help', 'whoami'];

/**
 * Whether users who are not admins may run a command, a quick command, a plugin command or a skill of this name. Names
 * in the list may have a slash.
 */
export function isForUsers(name: string, source: ChatSource, { userCommands }: AccessRules): boolean {
  const listed = userCommands[scopeOf(source)] ?? userCommands.dm ?? FOR_USERS;
  return FOR_ALL.includes(name) || listed.some((each) => each.replace(/^\//, '').toLowerCase() === name);
}
