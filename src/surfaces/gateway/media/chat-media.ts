import { errorMessage } from '../../../base/index.ts';
import type { ChatTarget, ClaimedChat, GatewayStore, InboxMessage, NewOutgoing } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Services } from '../../../runtime/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import { type OutgoingBody, toBody } from '../accounts/outbox-sender.ts';
import { findOutsideText, type PreparedMessage, readChatMessage } from '../chats/chat-message.ts';
import { collectFiles } from './answer-files.ts';
import type { FileGate } from './file-gate.ts';
import type { MediaCache } from './media-cache.ts';
import { createOutsideTexts, type OutsideTexts } from './outside-text.ts';
import { prepareMessage } from './prepare-message.ts';
import type { Transcribe } from './transcribe.ts';

export type ChatMediaOptions = {
  services: Services;
  store: GatewayStore;
  cache: MediaCache;
  gate: FileGate;
  transcribe: Transcribe;
  accountOf(account: string): AccountRunner;
  /** Whether the sender was let in only because everybody is. */
  isUnlisted(message: InboxMessage): Promise<boolean>;
};

/** A file of the outbox. Its bytes are a blob of the session, so that the file cannot be exchanged afterwards. */
export type AnswerFile = NonNullable<OutgoingBody['file']>;

/** The files and the text of others in chats: what comes in, and what may go out. */
export interface ChatMedia {
  readonly outsideTexts: OutsideTexts;
  /** Downloads the files of a message and scans the text of others. Throws only if the signal is aborted. */
  prepare(message: InboxMessage, signal: AbortSignal): Promise<PreparedMessage>;
  /** Whether a message can be passed to a running turn: it has neither files nor text of others. */
  isPlain(message: InboxMessage): Promise<boolean>;
  /** Separates the answer of a turn into its text and the files that may be sent. */
  readAnswer(
    chat: ClaimedChat,
    conversation: Conversation,
    answer: { text: string; turnId: string },
  ): Promise<{ text: string; files: AnswerFile[] }>;
  /** The folders with the received files of a chat. */
  foldersOf(chatKey: string): string[];
}

/** How long images of an answer are fetched, altogether. */
const FETCH_MS = 30_000;
const MAX_UPLOAD = 50 * 1024 * 1024;

export function createChatMedia(options: ChatMediaOptions): ChatMedia {
  const { services, store, cache } = options;
  const { clock, logger } = services;
  const outsideTexts = createOutsideTexts(store, services.store);
  return {
    outsideTexts,
    prepare: (message, signal) => prepareMessage({ ...options, clock, logger }, message, signal),
    isPlain: async (message) =>
      readChatMessage(message).content.files.length === 0 &&
      findOutsideText(message, { isUnlisted: await options.isUnlisted(message) }).length === 0,
    foldersOf: cache.foldersOf,
    async readAnswer(chat, conversation, answer) {
      if (!/MEDIA:|!\[|\[\[audio_as_voice\]\]/.test(answer.text)) return { text: answer.text, files: [] };
      try {
        return await readAnswer(options, { chat, conversation, answer, outsideTexts });
      } catch (thrown) {
        logger.error('could not read the files of an answer', { key: chat.key }, thrown);
        return { text: `${answer.text}\n\n⚠️ No file was sent: ${errorMessage(thrown)}`, files: [] };
      }
    },
  };
}

type Answered = {
  chat: ClaimedChat;
  conversation: Conversation;
  answer: { text: string; turnId: string };
  outsideTexts: OutsideTexts;
};

async function readAnswer(
  { services, cache, gate, accountOf }: ChatMediaOptions,
  { chat, conversation, answer, outsideTexts }: Answered,
): Promise<{ text: string; files: AnswerFile[] }> {
  const { store, logger } = services;
  const { sessionId } = conversation;
  const turn = (await store.getTurns(sessionId)).find(({ taskId }) => taskId === answer.turnId);
  const { channel } = accountOf(chat.conversation.account);
  const { text, files } = await collectFiles(answer.text, {
    gate,
    turn: {
      environment: conversation.opened().environment,
      ownFolders: cache.foldersOf(chat.key),
      startedAt: turn === undefined || turn.toolCalls === 0 ? undefined : turn.startedAt,
    },
    messages: await store.getConversation(sessionId),
    maxBytes: Math.min(MAX_UPLOAD, channel.facts.maxUploadBytes),
    fetching: {
      allowed: outsideTexts.describe(chat.key) === undefined,
      allowPrivate: conversation.opened().blueprint.settings.allowPrivateUrls ?? false,
    },
    signal: AbortSignal.timeout(FETCH_MS),
    logger,
  });
  const stored: AnswerFile[] = [];
  for (const { name, mediaType, bytes, isVoice } of files) {
    const { hash } = await store.putBlob(sessionId, bytes, mediaType);
    stored.push({ blob: hash, name, mediaType, ...(isVoice && { isVoice }) });
  }
  return { text, files: stored };
}

/** The messages of the platform that send the files of an answer. */
export function toFileMessages(
  { key, conversation }: ClaimedChat,
  files: readonly AnswerFile[],
  { id, target, now }: { id: string; target: ChatTarget; now: number },
): NewOutgoing[] {
  const { account, source } = conversation;
  const isGroup = source['chatType'] !== 'dm';
  return files.map((file, index) => ({
    key,
    account,
    id: `${key}/${id}/file-${index}`,
    kind: 'final',
    body: toBody({ target, isGroup, file }),
    createdAt: now,
  }));
}
