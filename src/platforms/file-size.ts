import { ChannelError } from '../contracts/index.ts';

/** Throws if a file is too large to be fetched. Platforms do not always say how large it is. */
export function requireSize(bytes: number | undefined, limit: number): void {
  if (bytes === undefined || bytes <= limit) return;
  throw new ChannelError('too_long', `The file has ${bytes} bytes, which is more than the limit of ${limit} bytes.`);
}
