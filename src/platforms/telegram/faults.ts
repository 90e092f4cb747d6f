import type { ChannelFault } from '../../contracts/index.ts';

/** What the Bot API says, by parts of its descriptions. The first row that matches counts. */
const DESCRIPTIONS: readonly (readonly [RegExp, ChannelFault])[] = [
  [/too long|too big|too large|ENTITY_TOO_LARGE|MESSAGE_TOO_LONG/i, 'too_long'],
  [/not enough rights|no rights|WRITE_FORBIDDEN|SEND_\w+_FORBIDDEN|TOPIC_CLOSED|is blocked|deactivated/i, 'forbidden'],
  [/CHAT_RESTRICTED|need administrator rights|bot is not a member|bot was kicked/i, 'forbidden'],
  [/not found|PEER_ID_INVALID|MESSAGE_ID_INVALID|upgraded to a supergroup|TOPIC_DELETED/i, 'not_found'],
  [/file_id|file is temporarily unavailable|file identifier/i, 'not_found'],
  [/entit|UTF-8|is empty|non-empty|can't parse|BUTTON_DATA_INVALID|BUTTON_URL_INVALID/i, 'bad_format'],
  [/IMAGE_PROCESS_FAILED|PHOTO_|VOICE_|VIDEO_|wrong (?:file )?type|wrong remote file/i, 'bad_format'],
];

/** The fault of an answer with an error. `isRepeatable`: doing it twice is the same as doing it once. */
export function faultOf(status: number, description: string, isRepeatable: boolean): ChannelFault {
  if (status === 401) return 'fatal';
  if (status === 403) return 'forbidden';
  if (status === 409) return 'transient';
  if (status === 413) return 'too_long';
  if (status === 429) return 'rate_limited';
  // A gateway that got no answer does not know what Telegram's server did.
  if (status === 504) return isRepeatable ? 'transient' : 'uncertain';
  if (status >= 500) return 'transient';
  if (status === 404) return 'not_found';
  return DESCRIPTIONS.find(([pattern]) => pattern.test(description))?.[1] ?? 'rejected';
}
