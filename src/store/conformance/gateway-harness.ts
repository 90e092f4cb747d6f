import { expect } from 'vitest';
import type {
  ChatClaim,
  GatewayStore,
  HeldAccount,
  InboxMessage,
  NewInboxMessage,
  NewOutgoing,
  SessionStore,
} from '../../contracts/index.ts';
import { START } from './store-harness.ts';

export const ACCOUNT = 'telegram:1';
export const TTL = 15_000;
export const CLAIM = { owner: 'process 1', limit: 10, ttlMs: TTL };

export const chat = (key: string, name = 'Zoë \u0000') => ({ key, account: ACCOUNT, source: { chat_id: key, name } });

export const message = (externalId: string, key = 'a', changes: Partial<NewInboxMessage> = {}): NewInboxMessage => ({
  chat: chat(key),
  externalId,
  kind: 'message',
  author: '7',
  body: { text: `text ${externalId} \u0000 😀` },
  sentAt: START,
  receivedAt: START,
  ...changes,
});

export const outgoing = (id: string, key = 'a', changes: Partial<NewOutgoing> = {}): NewOutgoing => ({
  key,
  account: ACCOUNT,
  id,
  kind: 'final',
  body: { text: id },
  createdAt: START,
  ...changes,
});

export const idsOf = (taken: readonly InboxMessage[]) => taken.map(({ externalId }) => externalId);

/** Assigns all unfinished messages of a chat to a turn. */
export async function take(gateway: GatewayStore, claim: ChatClaim, turnId: string): Promise<InboxMessage[]> {
  const unfinished = await gateway.listUnfinished(claim);
  if (unfinished === 'lost') throw new Error('the claim was lost');
  const messages = unfinished.map(({ id }) => id);
  expect(await gateway.assignMessages(claim, { turnId, sessionId: 's0' }, messages)).toBe(true);
  return unfinished;
}

/** The only chat with waiting messages. */
export async function claimOne(gateway: GatewayStore, owner = CLAIM.owner): Promise<ChatClaim> {
  const [claim] = await gateway.claimChats({ ...CLAIM, owner });
  if (claim === undefined) throw new Error('no chat is waiting');
  return claim;
}

export async function hold(gateway: GatewayStore, holder = 'process 1'): Promise<HeldAccount> {
  const held = await gateway.holdAccount(ACCOUNT, holder, TTL);
  if (held === undefined) throw new Error('another process holds the account');
  return held;
}

/** Opens a store with gateway tables, and more of them for other processes. */
export type OpenGateway = () => Promise<{
  gateway: GatewayStore;
  store: SessionStore;
  create(id: string): Promise<void>;
  openOther(): Promise<GatewayStore>;
  advance(milliseconds: number): void;
}>;
